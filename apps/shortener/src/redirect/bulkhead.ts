/** There was no place left, or none in time. */
export class BulkheadFull extends Error {}

interface Waiting {
  readonly enter: () => void;
  readonly turnAway: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Lets at most `places` pieces of work run at once and a bounded number wait for a bounded time. A store that slows down
 * then costs a quick refusal, not a queue that holds every request of the process.
 */
export class Bulkhead {
  private running = 0;
  private readonly waiting: Waiting[] = [];

  constructor(private readonly limits: { places: number; maxWaiting: number; maxWaitMs: number }) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.places) await this.waitForPlace();
    else this.running += 1;
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private waitForPlace(): Promise<void> {
    if (this.waiting.length >= this.limits.maxWaiting)
      return Promise.reject(new BulkheadFull('too many are waiting already'));
    return new Promise((enter, turnAway) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        turnAway(new BulkheadFull('no place came free in time'));
      }, this.limits.maxWaitMs);
      const waiting: Waiting = { enter, turnAway, timer };
      this.waiting.push(waiting);
    });
  }

  /** Hands the place to the next in line, else gives it up. */
  private leave(): void {
    const next = this.waiting.shift();
    if (!next) {
      this.running -= 1;
      return;
    }
    clearTimeout(next.timer);
    next.enter();
  }
}
