import type { Operation } from '../history.ts';

/** A time in which each kind of request may be answered by some statuses and no others. 0 stands for no answer. */
export interface Phase {
  readonly name: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly allowed: Readonly<Record<string, readonly number[]>>;
}

/**
 * Every request is answered as the phases that it touches allow. That something is back within a time is a phase
 * that begins then. Each phase must have seen every kind that it speaks of.
 */
export function checkAvailability(
  operations: readonly Operation<string, number>[],
  phases: readonly Phase[],
): string[] {
  const wrong = new Map<string, number>();
  for (const { call, outcome, startMs, endMs } of operations) {
    const touched = phases.filter(({ fromMs, untilMs }) => startMs < untilMs && endMs >= fromMs);
    if (touched.length === 0) continue;
    if (touched.some(({ allowed }) => !allowed[call] || allowed[call].includes(outcome))) continue;
    const place = `${touched.map(({ name }) => name).join(' / ')}: ${call} answered ${outcome || 'nothing'}`;
    wrong.set(place, (wrong.get(place) ?? 0) + 1);
  }
  return [
    ...[...wrong].map(([place, times]) => `${place}, ${times} times`),
    ...phases.flatMap((phase) => unseen(operations, phase)),
  ];
}

function unseen(operations: readonly Operation<string, number>[], phase: Phase): string[] {
  const { name, fromMs, untilMs, allowed } = phase;
  return Object.keys(allowed)
    .filter(
      (kind) =>
        !operations.some(
          ({ call, startMs, endMs }) => call === kind && startMs >= fromMs && endMs <= untilMs,
        ),
    )
    .map((kind) => `${name}: no ${kind} was answered in this time`);
}

/** How long after `sinceMs` the first request was begun from which on all were answered as `good` says; undefined: never. */
export function backAfterMs(
  operations: readonly Operation<string, number>[],
  { sinceMs, kind, good }: { sinceMs: number; kind: string; good: readonly number[] },
): number | undefined {
  const since = operations
    .filter(({ call, startMs }) => call === kind && startMs >= sinceMs)
    .sort((a, b) => a.startMs - b.startMs);
  const lastBad = since.findLastIndex(({ outcome }) => !good.includes(outcome));
  const first = since[lastBad + 1];
  return first && first.startMs - sinceMs;
}
