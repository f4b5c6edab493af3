import type { LimitOverride } from '@gatepost/contracts';
import type { RedisClient } from '../limiting/redis-connection.ts';
import type { DefinitionStore, RuntimeDefinitions, StoredKey, Sync } from './definition-store.ts';

/** A process not heard of for this long is gone. */
const WORKER_LIFETIME_MS = 5_000;

/** KEYS version, workers. ARGV worker, lifetime in ms. On the store's clock, as everything that is compared. */
const SYNC = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2] * 2)
return { redis.call('GET', KEYS[1]) or '0', redis.call('ZCARD', KEYS[2]) }`;

/** KEYS version, hash. ARGV field, value. A change and the version that tells of it are one. */
const ADD = `
if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('INCR', KEYS[1])
return 1`;
const PUT = `
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return redis.call('INCR', KEYS[1])`;
const REMOVE = `
if redis.call('HDEL', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('INCR', KEYS[1])
return 1`;
/** KEYS version, keys, overrides. */
const LOAD = `
return { redis.call('GET', KEYS[1]) or '0', redis.call('HVALS', KEYS[2]), redis.call('HVALS', KEYS[3]) }`;
/** KEYS version, keys, overrides. ARGV version, number of keys, then field and value of each key and override. */
const RESTORE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local keys = tonumber(ARGV[2])
for at = 3, #ARGV, 2 do
  local hash = at < 3 + 2 * keys and KEYS[2] or KEYS[3]
  redis.call('HSET', hash, ARGV[at], ARGV[at + 1])
end
redis.call('SET', KEYS[1], ARGV[1])
return 1`;

/** Definitions that all gateways share, beside the buckets. They have no expiry: `volatile-*` eviction spares them. */
export class RedisDefinitionStore implements DefinitionStore {
  private readonly version: string;
  private readonly keys: string;
  private readonly overrides: string;
  private readonly workers: string;

  constructor(
    private readonly client: RedisClient,
    private readonly worker: string,
    prefix = 'limits',
  ) {
    // One hash tag: a change touches two of them at once, in a cluster too.
    this.version = `{${prefix}}:version`;
    this.keys = `{${prefix}}:keys`;
    this.overrides = `{${prefix}}:overrides`;
    this.workers = `{${prefix}}:workers`;
  }

  async sync(): Promise<Sync> {
    const [version, liveWorkers] = (await this.client.eval(
      SYNC,
      2,
      this.version,
      this.workers,
      this.worker,
      WORKER_LIFETIME_MS,
    )) as [string, number];
    return { version: Number(version), liveWorkers };
  }

  async load(): Promise<RuntimeDefinitions> {
    const [version, keys, overrides] = (await this.client.eval(
      LOAD,
      3,
      this.version,
      this.keys,
      this.overrides,
    )) as [string, string[], string[]];
    return {
      version: Number(version),
      keys: keys.map((text) => JSON.parse(text) as StoredKey),
      overrides: overrides.map((text) => JSON.parse(text) as LimitOverride),
    };
  }

  async addKey(key: StoredKey): Promise<boolean> {
    return this.change(ADD, this.keys, key.name, JSON.stringify(key));
  }

  async removeKey(name: string): Promise<boolean> {
    return this.change(REMOVE, this.keys, name);
  }

  async putOverride(override: LimitOverride): Promise<void> {
    await this.change(PUT, this.overrides, override.caller, JSON.stringify(override));
  }

  async removeOverride(caller: string): Promise<boolean> {
    return this.change(REMOVE, this.overrides, caller);
  }

  async restore({ version, keys, overrides }: RuntimeDefinitions): Promise<void> {
    const fields = [
      ...keys.flatMap((key) => [key.name, JSON.stringify(key)]),
      ...overrides.flatMap((override) => [override.caller, JSON.stringify(override)]),
    ];
    const places = [this.version, this.keys, this.overrides];
    await this.client.eval(RESTORE, 3, ...places, version + 1, keys.length, ...fields);
  }

  private async change(script: string, hash: string, ...fields: string[]): Promise<boolean> {
    return (await this.client.eval(script, 2, this.version, hash, ...fields)) !== 0;
  }
}
