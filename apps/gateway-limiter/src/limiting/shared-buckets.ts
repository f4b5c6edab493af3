import type { BucketStore, Decision, TakeRequest } from '@gatepost/limiter-core';
import { GuardedBucketStore } from './guarded-bucket-store.ts';
import { RedisBucketStore } from './redis-bucket-store.ts';
import { openRedis, type RedisClient, readRedisAddress } from './redis-connection.ts';
import { TakeBatcher } from './take-batcher.ts';

export interface SharedBucketsOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly monotonicUs: () => number;
  readonly onCall: (seconds: number, answered: boolean) => void;
  readonly onPhase: (node: string, phase: 'open' | 'closed') => void;
}

const PROBE_EVERY_MS = 100;
const RECONNECT_AFTER_MS = 100;

/** Buckets on Redis as the limiter uses them: batched, and with an answer in bounded time whatever happens there. */
export class SharedBuckets {
  readonly client: RedisClient;
  readonly store: BucketStore;
  private readonly guarded: GuardedBucketStore;
  private readonly batcher: TakeBatcher;
  private isClosed = false;
  /** Why the last connection was lost, for an operator. */
  trouble: string | undefined;

  constructor({ url, onPhase, ...options }: SharedBucketsOptions) {
    this.client = openRedis(readRedisAddress(url));
    const store = new RedisBucketStore(this.client, options);
    this.store = store;
    this.guarded = new GuardedBucketStore(store, { probeEveryMs: PROBE_EVERY_MS, onPhase });
    this.batcher = new TakeBatcher(this.guarded.take);
    // The breaker reports; a line for each failed attempt to connect would be ten a second.
    this.client.on('error', (error: Error) => {
      this.trouble = error.message;
    });
    this.client.on('ready', () => {
      this.trouble = undefined;
      this.guarded.probeNow();
    });
    // The driver gives up for good when a connection is torn down while it is being made; we never do.
    this.client.on('end', () => {
      if (this.isClosed) return;
      setTimeout(() => {
        if (!this.isClosed && this.client.status === 'end')
          this.client.connect().catch((error: Error) => {
            this.trouble = error.message;
          });
      }, RECONNECT_AFTER_MS).unref();
    });
  }

  readonly take = (request: TakeRequest): Promise<Decision | undefined> =>
    this.batcher.take(request);

  get shardsAway(): number {
    return this.guarded.shardsAway;
  }

  get isConnected(): boolean {
    return this.client.status === 'ready';
  }

  /** Waits for the first connection, but not for long: a gateway starts without its store as well. */
  async connected(atMostMs: number): Promise<boolean> {
    if (this.isConnected) return true;
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), atMostMs);
      this.client.once('ready', () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  close(): void {
    this.isClosed = true;
    this.guarded.close();
    this.client.disconnect();
  }
}
