import type { BucketStore, Decision, TakeRequest } from '@gatepost/limiter-core';
import { Cluster, Command } from 'ioredis';
import { hashSlotOf, hashTagOf } from './hash-slot.ts';
import type { RedisClient } from './redis-connection.ts';
import { StoreClock } from './store-clock.ts';
import { TakeCall } from './take-call.ts';
import { type Script, takeTokensScript } from './take-tokens.ts';

/** The store did not answer in time, or not in a way that decides anything. */
export class StoreAway extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreAway';
  }
}

export interface RedisBucketStoreOptions {
  /** How long an answer is waited for. A script that runs later than this does nothing. */
  readonly timeoutMs: number;
  /** A monotonic clock, µs. */
  readonly monotonicUs: () => number;
  /** Told of every call to the store. */
  readonly onCall?: (seconds: number, answered: boolean) => void;
  /** For tests that turn the script's clock. */
  readonly script?: Script;
}

/** Buckets that all gateways share. One run of one script decides up to 64 requests on Redis's own clock. */
export class RedisBucketStore implements BucketStore {
  private readonly script: Script;
  /** One a node: their clocks differ. */
  private readonly clocks = new Map<string, StoreClock>();

  constructor(
    private readonly client: RedisClient,
    private readonly options: RedisBucketStoreOptions,
  ) {
    this.script = options.script ?? takeTokensScript();
  }

  /** The node that decides a request; nodes fail one by one. */
  shardOf(request: TakeRequest): string {
    if (!(this.client instanceof Cluster)) return '';
    const [draw] = request;
    return draw ? (this.client.slots[hashSlotOf(hashTagOf(draw.key))]?.[0] ?? '') : '';
  }

  async take(requests: readonly TakeRequest[]): Promise<readonly Decision[]> {
    const decisions = new Array<Decision>(requests.length);
    const runs = this.divide(requests).map(async ({ call, places }) => {
      const decided = await this.decide(call);
      places.forEach((place, index) => {
        decisions[place] = decided[index] as Decision;
      });
    });
    await Promise.all(runs);
    return decisions;
  }

  async reset(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.send('del', [key])));
  }

  /** A call holds what one script may touch: in a cluster that is one hash slot. */
  private divide(requests: readonly TakeRequest[]): { call: TakeCall; places: number[] }[] {
    const inCluster = this.client instanceof Cluster;
    const runs: { call: TakeCall; places: number[] }[] = [];
    const openRuns = new Map<string, { call: TakeCall; places: number[] }>();
    requests.forEach((request, place) => {
      const group = inCluster ? hashTagOf(request[0]?.key ?? '') : '';
      let run = openRuns.get(group);
      if (!run?.call.add(request)) {
        run = { call: new TakeCall(), places: [] };
        run.call.add(request);
        openRuns.set(group, run);
        runs.push(run);
      }
      run.places.push(place);
    });
    return runs;
  }

  private async decide(call: TakeCall): Promise<Decision[]> {
    const clock = this.clockOf(call.requests[0] as TakeRequest);
    // An answer "too late" that came in time means that the store's clock jumped: ask once more by the new clock.
    for (let attempt = 1; attempt <= 2; attempt++) {
      const sentAtUs = this.options.monotonicUs();
      const deadlineUs = clock.at(sentAtUs + this.options.timeoutMs * 1_000);
      const answer = await this.runScript(call.arguments(Math.ceil(deadlineUs)));
      const storeUs = TakeCall.storeTimeUs(answer);
      if (!call.isLate(answer)) {
        clock.learn(storeUs, sentAtUs);
        return call.readDecisions(answer);
      }
      clock.relearn(storeUs, sentAtUs);
    }
    throw new StoreAway('the store took longer than an answer is of use');
  }

  private async runScript(args: string[]): Promise<Buffer> {
    try {
      return await this.send('evalsha', [this.script.sha, ...args]);
    } catch (error) {
      // Restart, failover and SCRIPT FLUSH empty the script cache; sending the text fills it again.
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return await this.send('eval', [this.script.text, ...args]);
    }
  }

  private send(name: string, args: string[]): Promise<Buffer> {
    const startUs = this.options.monotonicUs();
    const command = new Command(name, args, { replyEncoding: null });
    return new Promise<Buffer>((resolve, reject) => {
      let pending = true;
      const settle = (answered: boolean, outcome: unknown) => {
        if (!pending) return;
        pending = false;
        clearTimeout(timer);
        this.options.onCall?.((this.options.monotonicUs() - startUs) / 1e6, answered);
        if (answered) resolve(outcome as Buffer);
        else reject(outcome);
      };
      // Timers run before sockets are read: after a pause of this process the answer may lie there already.
      const giveUp = () => settle(false, new StoreAway('the store did not answer in time'));
      const timer = setTimeout(() => setImmediate(giveUp), this.options.timeoutMs);
      command.promise.then(
        (reply) => settle(true, reply),
        (error) => settle(false, error),
      );
      void this.client.sendCommand(command);
    });
  }

  private clockOf(request: TakeRequest): StoreClock {
    const shard = this.shardOf(request);
    let clock = this.clocks.get(shard);
    if (!clock) {
      clock = new StoreClock();
      this.clocks.set(shard, clock);
    }
    return clock;
  }
}
