import type { RedisClient } from '../limiting/redis-connection.ts';
import { mergeOffenders, type OffenderCount } from '../limiting/top-offenders.ts';

export interface SharedOffendersOptions {
  /** What this process counted. */
  readonly own: () => OffenderCount[];
  readonly nowMs: () => number;
  readonly prefix?: string;
}

const PUBLISH_EVERY_MS = 2_000;
const PUBLISHED = 100;
/** A list not renewed for this long is that of a process that is gone. */
const LIST_LIFETIME_MS = 600_000;

/** The offenders of all gateways: each process writes down its own list, who asks adds them up. */
export class SharedOffenders {
  private readonly key: string;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: RedisClient,
    private readonly worker: string,
    private readonly options: SharedOffendersOptions,
  ) {
    this.key = `{${options.prefix ?? 'limits'}}:offenders`;
  }

  start(): void {
    this.timer = setInterval(() => {
      // The store is away: the next turn writes the same list again.
      this.publish().catch(() => undefined);
    }, PUBLISH_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async publish(): Promise<void> {
    const items = this.options.own().slice(0, PUBLISHED);
    if (items.length === 0) return;
    const list = JSON.stringify({ atMs: this.options.nowMs(), items });
    await this.client.hset(this.key, this.worker, list);
    await this.client.pexpire(this.key, LIST_LIFETIME_MS);
  }

  /** This process's alone while the store is away. */
  async list(): Promise<OffenderCount[]> {
    try {
      await this.publish();
      return mergeOffenders(await this.readAll());
    } catch {
      return this.options.own();
    }
  }

  private async readAll(): Promise<OffenderCount[][]> {
    const lists: OffenderCount[][] = [];
    for (const [worker, text] of Object.entries(await this.client.hgetall(this.key))) {
      const { atMs, items } = JSON.parse(text) as { atMs: number; items: OffenderCount[] };
      if (this.options.nowMs() - atMs < LIST_LIFETIME_MS) lists.push(items);
      else await this.client.hdel(this.key, worker);
    }
    return lists;
  }
}
