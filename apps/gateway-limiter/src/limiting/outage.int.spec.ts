import { definePolicy, type TakeRequest } from '@gatepost/limiter-core';
import { describeWith, startRedis } from '@gatepost/test-services';
import type { Redis } from 'ioredis';
import { GuardedBucketStore } from './guarded-bucket-store.ts';
import { RedisBucketStore } from './redis-bucket-store.ts';
import { openRedis, readRedisAddress } from './redis-connection.ts';
import { TakeBatcher } from './take-batcher.ts';

const monotonicUs = () => Math.floor(performance.now() * 1_000);
const policy = definePolicy('', { day: { limit: 1_000_000 } });
const request = (key: string): TakeRequest => [{ key: `{ab}${key}`, policy, cost: 1 }];

const percentile95 = (values: number[]) =>
  values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

/** One decision each 5 ms; `undefined` is one that the store did not make. */
async function drive(take: () => Promise<unknown>, untilMs: number) {
  const waits: number[] = [];
  const lateness: number[] = [];
  let decided = 0;
  const end = performance.now() + untilMs;
  const running: Promise<void>[] = [];
  while (performance.now() < end) {
    const start = performance.now();
    running.push(
      take().then((decision) => {
        waits.push(performance.now() - start);
        if (decision) decided++;
      }),
    );
    const paused = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    lateness.push(performance.now() - paused - 5);
  }
  await Promise.all(running);
  // How late a mere timer is says how busy the machine is; the slowest few say little else.
  const waitMs = percentile95(waits) - percentile95(lateness);
  return { waitMs, decided, asked: waits.length };
}

describeWith(['redis-server'], 'Redis going away', () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  let redis: Redis;
  let guarded: GuardedBucketStore;
  let batcher: TakeBatcher;
  const phases: string[] = [];

  beforeEach(async () => {
    phases.length = 0;
    server = await startRedis();
    redis = openRedis(readRedisAddress(server.url)) as Redis;
    redis.on('error', () => undefined);
    const store = new RedisBucketStore(redis, { timeoutMs: 25, monotonicUs });
    guarded = new GuardedBucketStore(store, {
      probeEveryMs: 100,
      onPhase: (_shard, phase) => phases.push(phase),
    });
    redis.on('ready', () => guarded.probeNow());
    batcher = new TakeBatcher(guarded.take);
    await new Promise((resolve) => redis.once('ready', resolve));
    await drive(() => batcher.take(request('warm')), 100);
  });
  afterEach(async () => {
    guarded.close();
    redis.disconnect();
    await server.stop();
  });

  const waitUntilLimited = async (): Promise<number> => {
    const start = performance.now();
    while (!(await batcher.take(request('back')))) {
      expect(performance.now() - start).toBeLessThan(5_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return performance.now() - start;
  };

  it('killed: nobody waits, and limits are back within 300 ms of its return', async () => {
    await server.kill();
    const away = await drive(() => batcher.take(request('k')), 1_500);
    expect(away.decided).toBe(0);
    await server.restart();
    const backMs = await waitUntilLimited();
    expect(away.waitMs).toBeLessThan(5);
    expect(backMs).toBeLessThan(300);
    expect(phases).toEqual(['open', 'closed']);
  });

  it('hung: nobody waits longer than the time limit, and limits are back within 300 ms', async () => {
    for (const hungMs of [400, 2_500]) {
      phases.length = 0;
      server.pause();
      const away = await drive(() => batcher.take(request('h')), hungMs);
      server.resume();
      const backMs = await waitUntilLimited();
      expect(away.decided).toBe(0);
      expect(away.waitMs).toBeLessThan(30);
      expect(backMs).toBeLessThan(300);
      expect(phases).toEqual(['open', 'closed']);
    }
  });

  it('hung: what was asked meanwhile is not drawn afterwards', async () => {
    server.pause();
    const away = await drive(() => batcher.take(request('late')), 200);
    expect(away.asked).toBeGreaterThan(10);
    server.resume();
    await waitUntilLimited();
    expect(await redis.exists('{ab}late')).toBe(0);
  });
});
