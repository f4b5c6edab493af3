/** How a dependency is right now; `detail` is for an operator. */
export interface DependencyState {
  readonly up: boolean;
  readonly detail?: string;
}

/**
 * Ready means started and not draining. It never depends on a store: cached redirects and the limiter's outage policy
 * have to keep working without one. Dependencies are shown, not judged.
 */
export class Readiness {
  private phase: 'starting' | 'ready' | 'draining' = 'starting';
  private readonly checks = new Map<string, () => DependencyState | Promise<DependencyState>>();

  get isReady(): boolean {
    return this.phase === 'ready';
  }

  get isDraining(): boolean {
    return this.phase === 'draining';
  }

  markReady(): void {
    if (this.phase === 'starting') this.phase = 'ready';
  }

  markDraining(): void {
    this.phase = 'draining';
  }

  /** Adds a dependency to `/readyz?verbose`. */
  watch(name: string, check: () => DependencyState | Promise<DependencyState>): void {
    this.checks.set(name, check);
  }

  async describe(): Promise<{ status: string; dependencies: Record<string, DependencyState> }> {
    const states = await Promise.all(
      [...this.checks].map(async ([name, check]) => {
        try {
          return [name, await check()] as const;
        } catch (error) {
          return [name, { up: false, detail: (error as Error).message }] as const;
        }
      }),
    );
    return { status: this.phase, dependencies: Object.fromEntries(states) };
  }
}
