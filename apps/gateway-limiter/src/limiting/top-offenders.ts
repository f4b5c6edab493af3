export interface OffenderCount {
  readonly id: string;
  readonly kind: string;
  readonly tier: string;
  count: number;
  lastAtMs: number;
}

/**
 * The callers refused most often, in bounded memory (space-saving: a newcomer takes the place and the count of the
 * least refused, so that nobody who is refused often enough can be missed). Counts halve every `halfLifeMs`: what
 * matters is who offends now.
 */
export class TopOffenders {
  private readonly counts = new Map<string, OffenderCount>();
  private halvedAtMs = 0;

  constructor(
    private readonly capacity: number,
    private readonly halfLifeMs: number,
  ) {}

  /** Counts one refusal and returns how often this caller was refused of late, at most. */
  note(id: string, kind: string, tier: string, nowMs: number): number {
    this.fade(nowMs);
    const known = this.counts.get(id);
    if (known) {
      known.count++;
      known.lastAtMs = nowMs;
      return known.count;
    }
    const least = this.counts.size < this.capacity ? undefined : this.leastRefused();
    if (least) this.counts.delete(least.id);
    const count = (least?.count ?? 0) + 1;
    this.counts.set(id, { id, kind, tier, count, lastAtMs: nowMs });
    return count;
  }

  list(nowMs: number): OffenderCount[] {
    this.fade(nowMs);
    return [...this.counts.values()].sort((a, b) => b.count - a.count);
  }

  private fade(nowMs: number): void {
    if (this.halvedAtMs === 0) this.halvedAtMs = nowMs;
    const periods = Math.floor((nowMs - this.halvedAtMs) / this.halfLifeMs);
    if (periods < 1) return;
    this.halvedAtMs += periods * this.halfLifeMs;
    for (const entry of this.counts.values()) {
      entry.count = Math.floor(entry.count / 2 ** Math.min(periods, 60));
      if (entry.count === 0) this.counts.delete(entry.id);
    }
  }

  private leastRefused(): OffenderCount | undefined {
    let least: OffenderCount | undefined;
    for (const entry of this.counts.values())
      if (!least || entry.count < least.count) least = entry;
    return least;
  }
}

/** One list of several processes' lists: counts add up, the worst first. */
export function mergeOffenders(lists: readonly (readonly OffenderCount[])[]): OffenderCount[] {
  const merged = new Map<string, OffenderCount>();
  for (const entry of lists.flat()) {
    const known = merged.get(entry.id);
    if (known) {
      known.count += entry.count;
      known.lastAtMs = Math.max(known.lastAtMs, entry.lastAtMs);
    } else merged.set(entry.id, { ...entry });
  }
  return [...merged.values()].sort((a, b) => b.count - a.count);
}

/**
 * The label values a metric may have: those admitted stay for good (a counter that leaves and returns would run
 * backwards), and once all places are taken newcomers share `other`.
 */
export class BoundedLabels {
  private readonly admitted = new Set<string>();

  constructor(private readonly places: number) {}

  has(label: string): boolean {
    return this.admitted.has(label);
  }

  admit(label: string): boolean {
    if (this.admitted.has(label)) return true;
    if (this.admitted.size >= this.places) return false;
    this.admitted.add(label);
    return true;
  }
}
