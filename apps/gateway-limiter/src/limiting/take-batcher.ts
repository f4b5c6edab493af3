import type { Decision, TakeRequest } from '@gatepost/limiter-core';
import { MOST_REQUESTS } from './take-call.ts';

/** Decides each request once, in its own time, by its place in the batch; `undefined` where it cannot. Never throws. */
export type TakeBatch = (
  requests: readonly TakeRequest[],
  settle: (place: number, decision: Decision | undefined) => void,
) => void;

/** As many in one turn come near saturation only, and the next turn will bring as many. */
const BUSY = 16;

/**
 * Collects what arrives in one turn of the event loop and asks the store once for all of it: a call costs more than
 * what it decides. Where a turn brings many requests, those of the next one are waited for as well, which halves the calls
 * under load and costs nothing without. Nothing waits for an earlier answer; several calls may be under way.
 */
export class TakeBatcher {
  private requests: TakeRequest[] = [];
  private resolves: ((decision: Decision | undefined) => void)[] = [];
  private scheduled = false;
  private hasWaited = false;

  constructor(private readonly takeBatch: TakeBatch) {}

  take(request: TakeRequest): Promise<Decision | undefined> {
    return new Promise((resolve) => {
      this.requests.push(request);
      this.resolves.push(resolve);
      if (this.requests.length >= MOST_REQUESTS) this.flush();
      else if (!this.scheduled) {
        this.scheduled = true;
        setImmediate(this.endTurn);
      }
    });
  }

  private readonly endTurn = (): void => {
    if (this.requests.length >= BUSY && !this.hasWaited) {
      this.hasWaited = true;
      setImmediate(this.endTurn);
      return;
    }
    this.scheduled = false;
    this.hasWaited = false;
    if (this.requests.length > 0) this.flush();
  };

  private flush(): void {
    const { requests, resolves } = this;
    this.requests = [];
    this.resolves = [];
    this.takeBatch(requests, (place, decision) => resolves[place]?.(decision));
  }
}
