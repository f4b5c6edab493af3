import type { BucketStore, TakeRequest } from './bucket-store.ts';
import { type Decision, toDecision } from './decision.ts';
import { type BucketState, draw, hasTokens, refill } from './token-bucket.ts';

export interface MemoryBucketStoreOptions {
  /** µs since 1970; whole numbers that do not run backwards. */
  readonly nowUs: () => number;
  /**
   * Most buckets held. Beyond it the one that was left alone longest is forgotten, which fills it: memory stays
   * bounded whatever keys are invented.
   */
  readonly capacity: number;
}

/** Buckets of this process alone: for development, for tests, and for the time a shared store is away. */
export class MemoryBucketStore implements BucketStore {
  /** In order of last use: a Map iterates as it was filled, and every use fills anew. */
  private readonly states = new Map<string, BucketState>();

  constructor(private readonly options: MemoryBucketStoreOptions) {}

  get size(): number {
    return this.states.size;
  }

  async take(requests: readonly TakeRequest[]): Promise<readonly Decision[]> {
    const nowUs = this.options.nowUs();
    return requests.map((request) => this.decide(request, nowUs));
  }

  async reset(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.states.delete(key);
  }

  /** The same without the promise, for callers who know that they are in process. */
  decide(request: TakeRequest, nowUs: number = this.options.nowUs()): Decision {
    const states = request.map(({ key }) => this.states.get(key));
    const used = request.map(({ policy }, index) => refill(states[index], policy, nowUs));
    const admitted = request.every(({ policy, cost }, index) =>
      hasTokens(used[index] as number[], policy, cost),
    );
    request.forEach(({ key, policy, cost }, index) => {
      const state = states[index];
      const before = used[index] as number[];
      const after = admitted ? draw(before, policy, cost) : before;
      used[index] = after;
      // A refusal changes nothing, with one exception: a clock that was set back must not stop the refill.
      const clockWentBack = state !== undefined && state.lastUs > nowUs;
      if ((admitted && cost > 0) || clockWentBack)
        this.remember(key, { lastUs: nowUs, layout: policy.layout, used: after });
      else if (state) this.remember(key, state);
    });
    return toDecision(request, used.flat(), admitted, nowUs);
  }

  private remember(key: string, state: BucketState): void {
    this.states.delete(key);
    this.states.set(key, state);
    if (this.states.size <= this.options.capacity) return;
    for (const eldest of this.states.keys()) {
      this.states.delete(eldest);
      return;
    }
  }
}
