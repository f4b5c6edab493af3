/**
 * After `threshold` failures in a row a store is left alone for `restMs`; then one call tries it again. A store that hangs
 * costs its time limit a few times, not on every request.
 */
export class CircuitBreaker {
  private failures = 0;
  private closedUntil = 0;

  constructor(private readonly limits: { threshold: number; restMs: number }) {}

  /** Whether the store may be asked at `now`. The call that finds the rest over is the one that tries. */
  allows(now: number): boolean {
    if (this.failures < this.limits.threshold) return true;
    if (now < this.closedUntil) return false;
    this.closedUntil = now + this.limits.restMs;
    return true;
  }

  recordSuccess(): void {
    this.failures = 0;
  }

  recordFailure(now: number): void {
    this.failures += 1;
    if (this.failures >= this.limits.threshold) this.closedUntil = now + this.limits.restMs;
  }
}
