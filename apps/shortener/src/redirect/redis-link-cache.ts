import type { Redis } from 'ioredis';
import {
  type CachedLink,
  decodeCachedLink,
  encodeCachedLink,
  encodeMarker,
  sharedTtlMs,
} from './cached-link.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

/**
 * Stores a value unless a higher version is there already. A reader that was slow between its read of the database and
 * this call therefore cannot bring an old destination back over a change. With a third argument the change is announced too.
 */
const STORE_NEWER = `
local held = redis.call('GET', KEYS[1])
local version = held and tonumber(string.match(held, '^%d+'))
if not version or version <= tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
if ARGV[4] then redis.call('PUBLISH', ARGV[4], ARGV[5]) end
return 1`;

/** Longer than any reader can take between reading the database and storing what it read. */
const MARKER_TTL_MS = 10 * 60 * 1_000;

interface Scripted extends Redis {
  storeNewer(key: string, ...args: (string | number)[]): Promise<number>;
}

/** The cache that all nodes share. Every failure is a miss: this cache is never the reason for an error. */
export class RedisLinkCache {
  private readonly breaker = new CircuitBreaker({ threshold: 3, restMs: 200 });
  private readonly redis: Scripted;
  /** Which connection this is, from 1 on. */
  private connection = 0;
  /** False from a lost connection until the changes made meanwhile have been delivered: what is held may be old. */
  private trusted = false;

  constructor(
    redis: Redis,
    private readonly prefix: string,
  ) {
    redis.defineCommand('storeNewer', { numberOfKeys: 1, lua: STORE_NEWER });
    this.redis = redis as Scripted;
    redis.on('ready', () => {
      this.connection += 1;
    });
    redis.on('close', () => {
      this.trusted = false;
    });
    if (this.isConnected) this.connection = 1;
  }

  get channel(): string {
    return `${this.prefix}changed`;
  }

  get isConnected(): boolean {
    return this.redis.status === 'ready';
  }

  /** Whether what it holds may be used. */
  get isTrusted(): boolean {
    return this.trusted;
  }

  /** Calls `listener` with each new connection, and at once if there is one. */
  onConnected(listener: (connection: number) => void): void {
    this.redis.on('ready', () => listener(this.connection));
    if (this.isConnected) listener(this.connection);
  }

  /** The changes from before this connection have been delivered. */
  trust(connection: number): void {
    this.trusted = this.isConnected && this.connection === connection;
  }

  async find(code: string, now: number): Promise<CachedLink | undefined> {
    if (!this.trusted || !this.breaker.allows(now)) return undefined;
    try {
      const stored = await this.redis.get(this.keyOf(code));
      this.breaker.recordSuccess();
      return stored === null ? undefined : decodeCachedLink(code, stored);
    } catch {
      this.breaker.recordFailure(now);
      return undefined;
    }
  }

  /** Without waiting: the redirect that read the link has its answer already. */
  store(link: CachedLink, now: number, random: number = Math.random()): void {
    const ttlMs = sharedTtlMs(link, now, random);
    if (ttlMs < 1 || !this.trusted || !this.breaker.allows(now)) return;
    this.redis.storeNewer(this.keyOf(link.code), link.version, encodeCachedLink(link), ttlMs).then(
      () => this.breaker.recordSuccess(),
      () => this.breaker.recordFailure(now),
    );
  }

  /** Replaces what is held by a marker of `version` and tells every node. Rejects when that did not happen. */
  async invalidate(code: string, version: number): Promise<void> {
    const marker = encodeMarker(version);
    await this.redis.storeNewer(
      this.keyOf(code),
      version,
      marker,
      MARKER_TTL_MS,
      this.channel,
      code,
    );
  }

  private keyOf(code: string): string {
    return `${this.prefix}link:${code}`;
  }
}
