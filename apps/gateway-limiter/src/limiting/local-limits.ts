import {
  type Decision,
  dividePolicy,
  MemoryBucketStore,
  type Policy,
  type TakeRequest,
} from '@gatepost/limiter-core';

export interface LocalLimitsOptions {
  readonly nowUs: () => number;
  readonly capacity: number;
  /** Processes that share the load, this one included. */
  readonly liveWorkers: () => number;
}

/** Limits of this process alone, for the time the store is away: each worker grants its share. */
export class LocalLimits {
  private readonly store: MemoryBucketStore;
  private readonly shares = new Map<number, WeakMap<Policy, Policy>>();

  constructor(private readonly options: LocalLimitsOptions) {
    this.store = new MemoryBucketStore(options);
  }

  decide(request: TakeRequest): Decision {
    const workers = Math.max(1, this.options.liveWorkers());
    return this.store.decide(
      request.map((draw) => ({ ...draw, policy: this.shareOf(draw.policy, workers) })),
    );
  }

  /** Divided once and kept: policies are compared by identity. */
  private shareOf(policy: Policy, workers: number): Policy {
    let divided = this.shares.get(workers);
    if (!divided) {
      this.shares.clear();
      divided = new WeakMap();
      this.shares.set(workers, divided);
    }
    let share = divided.get(policy);
    if (!share) {
      share = dividePolicy(policy, workers);
      divided.set(policy, share);
    }
    return share;
  }
}
