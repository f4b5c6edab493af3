import { DomainError } from '@gatepost/problem-details';

export const BUSY_SECONDS = 2;

/** The queue is full: more is asked for than this process can do in time. */
export class TooBusy extends DomainError {
  constructor() {
    super('service-unavailable', 'More is asked for than can be done right now.', {
      headers: { 'retry-after': String(BUSY_SECONDS) },
    });
  }
}

/** Runs at most `parallel` pieces of work at once, lets at most `waiting` wait in order, and refuses the rest. */
export class BoundedWork {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly limits: { readonly parallel: number; readonly waiting: number }) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private enter(): Promise<void> | undefined {
    if (this.running < this.limits.parallel) {
      this.running++;
      return undefined;
    }
    if (this.queue.length >= this.limits.waiting) throw new TooBusy();
    return new Promise((resolve) => this.queue.push(resolve));
  }

  /** Whoever waits longest takes the place over; the number of places in use does not change then. */
  private leave(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.running--;
  }
}
