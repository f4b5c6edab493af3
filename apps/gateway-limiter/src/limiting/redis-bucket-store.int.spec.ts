import {
  type BucketDraw,
  type Decision,
  definePolicy,
  fullAfterUs,
  MemoryBucketStore,
  type Policy,
  type TakeRequest,
} from '@gatepost/limiter-core';
import { bucketStoreContract } from '@gatepost/limiter-core/contract';
import { describeWith, redisUrl } from '@gatepost/test-services';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { RedisBucketStore } from './redis-bucket-store.ts';
import { openRedis, readRedisAddress } from './redis-connection.ts';
import { takeTokensScript } from './take-tokens.ts';

const monotonicUs = () => Math.floor(performance.now() * 1_000);
const PREFIX = `limiter-spec-${process.pid}-`;
const CLOCK = `${PREFIX}clock`;
const turnedScript = takeTokensScript(`tonumber(redis.call('GET', '${CLOCK}'))`);

async function connect(): Promise<Redis> {
  // The machine may be busy: what a spec waits for must not be a 25 ms limit.
  const redis = openRedis(readRedisAddress(redisUrl())) as Redis;
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  return redis;
}

describeWith(['redis'], 'Redis bucket store', () => {
  let redis: Redis;
  let store: RedisBucketStore;
  let serial = 0;
  const freshKey = () => `${PREFIX}{${(++serial % 4096).toString(36)}}${serial}`;

  beforeAll(async () => {
    redis = await connect();
    store = new RedisBucketStore(redis, { timeoutMs: 5_000, monotonicUs });
  });
  afterAll(async () => {
    for await (const keys of redis.scanStream({ match: `${PREFIX}*`, count: 1_000 }))
      if (keys.length > 0) await redis.unlink(keys as string[]);
    redis.disconnect();
  });

  describe('contract', () => {
    bucketStoreContract(async (startUs) => {
      const own = await connect();
      await own.set(CLOCK, startUs);
      return {
        store: new RedisBucketStore(own, {
          timeoutMs: 5_000,
          // The suite turns the store's clock back and forth; its own clock turns along.
          monotonicUs: () => 0,
          script: turnedScript,
        }),
        setTime: async (nowUs) => {
          await own.set(CLOCK, nowUs);
        },
        close: () => own.disconnect(),
      };
    });
  });

  it('decides like the bucket in TypeScript on any sequence of policies, costs, callers and time steps', async () => {
    const limits = fc.record(
      {
        second: fc.record({
          limit: fc.integer({ min: 1, max: 9 }),
          burst: fc.integer({ min: 1, max: 20 }),
        }),
        minute: fc.record({ limit: fc.integer({ min: 1, max: 60 }) }),
        hour: fc.record({ limit: fc.integer({ min: 1, max: 500 }) }),
        day: fc.record({ limit: fc.integer({ min: 1, max: 5_000 }) }),
      },
      { requiredKeys: ['minute'] },
    );
    const steps = fc.array(
      fc.record({
        waitUs: fc.oneof(
          fc.integer({ min: 0, max: 3_000_000 }),
          fc.integer({ min: 0, max: 90_000_000_000 }),
          fc.integer({ min: -5_000_000, max: -1 }),
        ),
        requests: fc.array(
          fc.uniqueArray(
            fc.record({
              caller: fc.nat(3),
              policy: fc.nat(2),
              cost: fc.oneof(fc.nat(3), fc.double({ min: 0, max: 30, noNaN: true })),
            }),
            { minLength: 1, maxLength: 3, selector: ({ caller }) => caller },
          ),
          { minLength: 1, maxLength: 80 },
        ),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(fc.tuple(limits, limits, limits), steps, async (given, sequence) => {
        const policies = given.map((one, index) => definePolicy(String(index), one));
        const callers = [freshKey(), freshKey(), freshKey(), freshKey()];
        let nowUs = (Date.now() + 3_600_000) * 1_000;
        const model = new MemoryBucketStore({ nowUs: () => nowUs, capacity: 100 });
        const scripted = new RedisBucketStore(redis, {
          timeoutMs: 5_000,
          monotonicUs: () => 0,
          script: turnedScript,
        });
        for (const { waitUs, requests } of sequence) {
          nowUs += waitUs;
          const taken = requests.map((draws) =>
            draws.map(
              ({ caller, policy, cost }): BucketDraw => ({
                key: callers[caller] as string,
                policy: policies[policy] as Policy,
                cost,
              }),
            ),
          );
          await redis.set(CLOCK, nowUs);
          expect(await scripted.take(taken)).toEqual(await model.take(taken));
        }
      }),
      runs(60),
    );
  });

  describe('what is stored', () => {
    const policy = definePolicy('', { second: { limit: 2 }, minute: { limit: 40 } });
    const draw = (key: string, cost = 1): TakeRequest => [{ key, policy, cost }];

    it('is the same, to the byte and to the expiry, after any number of refusals', async () => {
      const [key, other] = [freshKey(), freshKey()];
      const slow = definePolicy('', { day: { limit: 3 }, hour: { limit: 2 } });
      const request: TakeRequest = [
        { key, policy: slow, cost: 1 },
        { key: other, policy: slow, cost: 1 },
      ];
      await store.take([request, request]);
      const read = () =>
        Promise.all([
          redis.dump(key),
          redis.pexpiretime(key),
          redis.dump(other),
          redis.pexpiretime(other),
        ]);
      const before = await read();
      expect(before[0]).not.toBeNull();
      const refused = await store.take(Array.from({ length: 200 }, () => request));
      expect(refused.every(({ kind }) => kind === 'refused')).toBe(true);
      expect(await read()).toEqual(before);
    });

    it('does not exist for a caller that is refused from the start, or only looked at', async () => {
      const [key, empty] = [freshKey(), freshKey()];
      const single = definePolicy('', { day: { limit: 1 } });
      await store.take([[{ key: empty, policy: single, cost: 1 }]]);
      await store.take([
        [
          { key, policy, cost: 1 },
          { key: empty, policy: single, cost: 1 },
        ],
        draw(key, 0),
      ]);
      expect(await redis.exists(key)).toBe(0);
    });

    it('expires when the slowest window is full: never earlier, and not a millisecond later', async () => {
      for (const cost of [1, 2, 7]) {
        const key = freshKey();
        const [decision] = await store.take([draw(key, cost)]);
        const used = [Math.min(cost, 2), cost];
        const fullAtMs = (decision as Decision).decidedAtMs + fullAfterUs(used, policy) / 1_000;
        const expiresAtMs = await redis.pexpiretime(key);
        expect(expiresAtMs).toBeGreaterThanOrEqual(fullAtMs);
        expect(expiresAtMs).toBeLessThan(fullAtMs + 1);
      }
    });

    it('is gone after expiry, and the caller has a full bucket, as its twin that never expired', async () => {
      const [key, twin] = [freshKey(), freshKey()];
      const quick = definePolicy('', { second: { limit: 20 } });
      const take = (one: string) => [{ key: one, policy: quick, cost: 2 }];
      await store.take([take(key), take(twin)]);
      await redis.persist(twin);
      const deadline = Date.now() + 5_000;
      while ((await redis.exists(key)) === 1) expect(Date.now()).toBeLessThan(deadline);
      const [expired, persisted] = await store.take([take(key), take(twin)]);
      expect((persisted as Decision).reported.tokens).toBeCloseTo(18, 5);
      expect((expired as Decision).reported.tokens).toBe(18);
    });

    it('survives rubbish under its key', async () => {
      const [text, list] = [freshKey(), freshKey()];
      await redis.set(text, 'rubbish');
      await redis.lpush(list, 'rubbish');
      const taken = await store.take([draw(text), draw(list), draw(text), draw(text)]);
      expect(taken.map(({ kind }) => kind)).toEqual(['allowed', 'allowed', 'allowed', 'refused']);
    });
  });

  it('admits exactly the capacity when two stores draw on one key at once', async () => {
    const [one, two] = await Promise.all([connect(), connect()]);
    const stores = [one, two].map(
      (client) => new RedisBucketStore(client, { timeoutMs: 5_000, monotonicUs }),
    );
    const key = freshKey();
    const policy = definePolicy('', { day: { limit: 1_000 } });
    let admitted = 0;
    await Promise.all(
      stores.map(async (each) => {
        for (let round = 0; round < 30; round++) {
          const calls = Array.from({ length: 4 }, () =>
            each.take(Array.from({ length: 10 }, () => [{ key, policy, cost: 1 }])),
          );
          for (const decisions of await Promise.all(calls))
            admitted += decisions.filter(({ kind }) => kind === 'allowed').length;
        }
      }),
    );
    one.disconnect();
    two.disconnect();
    // 2,400 requests for 1,000 tokens; what refills meanwhile is 1,000/86,400 a second.
    expect(admitted).toBeGreaterThanOrEqual(1_000);
    expect(admitted).toBeLessThanOrEqual(1_001);
  });

  it('loses and doubles nothing when the script cache is flushed under load', async () => {
    const key = freshKey();
    const policy = definePolicy('', { day: { limit: 100_000 } });
    let flushing = true;
    const flush = (async () => {
      while (flushing) await redis.script('FLUSH');
    })();
    for (let round = 0; round < 40; round++) {
      const calls = Array.from({ length: 5 }, () => store.take([[{ key, policy, cost: 1 }]]));
      for (const [decision] of await Promise.all(calls)) expect(decision?.kind).toBe('allowed');
    }
    flushing = false;
    await flush;
    const [seen] = await store.take([[{ key, policy, cost: 0 }]]);
    expect(Math.ceil((seen as Decision).reported.tokens)).toBe(99_801);
  });

  it('tells a clock that jumped from a script that ran too late, and asks once more', async () => {
    const key = freshKey();
    const policy = definePolicy('', { day: { limit: 10 } });
    await redis.set(CLOCK, Date.now() * 1_000);
    const jumpy = new RedisBucketStore(redis, {
      timeoutMs: 5_000,
      monotonicUs: () => 0,
      script: turnedScript,
    });
    const take = async () => (await jumpy.take([[{ key, policy, cost: 1 }]]))[0];
    expect((await take())?.kind).toBe('allowed');
    await redis.set(CLOCK, (Date.now() + 3_600_000) * 1_000);
    expect((await take())?.kind).toBe('allowed');
    expect((await take())?.kind).toBe('allowed');
  });
});
