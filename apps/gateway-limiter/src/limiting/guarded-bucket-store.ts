import type { BucketStore, Decision, TakeRequest } from '@gatepost/limiter-core';
import { afterFailure, afterSuccess, type Breaker, CLOSED_BREAKER } from './outage.ts';
import type { TakeBatch } from './take-batcher.ts';

/** A store whose parts fail one by one: the nodes of a cluster. */
export interface ShardedBucketStore extends BucketStore {
  shardOf(request: TakeRequest): string;
}

export interface GuardOptions {
  /** How often a store that failed is asked whether it is back. */
  readonly probeEveryMs: number;
  /** Told when a part of the store is given up or comes back. */
  readonly onPhase?: (shard: string, phase: Breaker['phase']) => void;
  /** Told of every failed call. */
  readonly onFailure?: (error: Error) => void;
}

interface Shard {
  breaker: Breaker;
  /** A request that goes there, to probe with. */
  sample: TakeRequest;
  timer?: NodeJS.Timeout;
}

/**
 * A store that answers in bounded time whatever happens to it: `undefined` for requests that it cannot decide. After
 * a few failures it is not asked any more until probes, which draw nothing, find it back.
 */
export class GuardedBucketStore {
  private readonly shards = new Map<string, Shard>();
  private closed = false;

  constructor(
    private readonly store: ShardedBucketStore,
    private readonly options: GuardOptions,
  ) {}

  /** Parts of the store that are given up at present. */
  get shardsAway(): number {
    let away = 0;
    for (const { breaker } of this.shards.values()) if (breaker.phase === 'open') away++;
    return away;
  }

  /** Tells each request's decision as soon as its part of the store has made it. */
  readonly take: TakeBatch = (requests, settle) => {
    const groups = new Map<string, number[]>();
    requests.forEach((request, place) => {
      const name = this.store.shardOf(request);
      const places = groups.get(name);
      if (places) places.push(place);
      else groups.set(name, [place]);
    });
    for (const [name, places] of groups) {
      const part =
        groups.size === 1 ? requests : places.map((place) => requests[place] as TakeRequest);
      void this.takeFrom(name, part).then((decisions) => {
        places.forEach((place, index) => {
          settle(place, decisions[index]);
        });
      });
    }
  };

  /** Asks at once instead of at the next turn: a connection was made anew. */
  probeNow(): void {
    for (const [name, shard] of this.shards)
      if (shard.breaker.phase === 'open') void this.probe(name, shard);
  }

  close(): void {
    this.closed = true;
    for (const { timer } of this.shards.values()) clearInterval(timer);
  }

  private async takeFrom(
    name: string,
    requests: readonly TakeRequest[],
  ): Promise<readonly (Decision | undefined)[]> {
    const shard = this.shardNamed(name, requests[0] as TakeRequest);
    if (shard.breaker.phase === 'open') return requests.map(() => undefined);
    try {
      const decisions = await this.store.take(requests);
      this.note(name, shard, afterSuccess(shard.breaker));
      return decisions;
    } catch (error) {
      this.options.onFailure?.(error as Error);
      // Calls that were under way when the breaker opened add nothing to what is known.
      if (shard.breaker.phase === 'closed') this.note(name, shard, afterFailure(shard.breaker));
      return requests.map(() => undefined);
    }
  }

  private shardNamed(name: string, sample: TakeRequest): Shard {
    let shard = this.shards.get(name);
    if (!shard) {
      shard = { breaker: CLOSED_BREAKER, sample };
      this.shards.set(name, shard);
    }
    return shard;
  }

  private note(name: string, shard: Shard, breaker: Breaker): void {
    const before = shard.breaker.phase;
    shard.breaker = breaker;
    if (breaker.phase === before || this.closed) return;
    this.options.onPhase?.(name, breaker.phase);
    clearInterval(shard.timer);
    if (breaker.phase === 'closed') return;
    shard.timer = setInterval(() => void this.probe(name, shard), this.options.probeEveryMs);
    shard.timer.unref();
  }

  /** Looks without drawing, once more right after a success: two of them close the breaker. */
  private async probe(name: string, shard: Shard): Promise<void> {
    const look = shard.sample.map((draw) => ({ ...draw, cost: 0 }));
    while (shard.breaker.phase === 'open' && !this.closed) {
      try {
        await this.store.take([look]);
        if (shard.breaker.phase === 'open') this.note(name, shard, afterSuccess(shard.breaker));
      } catch {
        // Still away; the next turn tries again. What was a first success counts no more.
        if (shard.breaker.phase === 'open') this.note(name, shard, afterFailure(shard.breaker));
        return;
      }
    }
  }
}
