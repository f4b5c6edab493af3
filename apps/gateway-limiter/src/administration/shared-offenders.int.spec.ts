import { describeWith, redisUrl } from '@gatepost/test-services';
import type { Redis } from 'ioredis';
import { openRedis, readRedisAddress } from '../limiting/redis-connection.ts';
import type { OffenderCount } from '../limiting/top-offenders.ts';
import { SharedOffenders } from './shared-offenders.ts';

const offender = (id: string, count: number): OffenderCount => ({
  id,
  kind: 'address',
  tier: 'anonymous',
  count,
  lastAtMs: 1,
});

describeWith(['redis'], 'shared offenders', () => {
  const prefix = `offenders-spec-${process.pid}`;
  let redis: Redis;
  let nowMs = 1_000_000;
  const open = (worker: string, own: OffenderCount[]) =>
    new SharedOffenders(redis, worker, { own: () => own, nowMs: () => nowMs, prefix });

  beforeAll(async () => {
    redis = openRedis(readRedisAddress(redisUrl())) as Redis;
    if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  });
  afterAll(async () => {
    await redis.del(`{${prefix}}:offenders`);
    redis.disconnect();
  });

  it('adds up the lists of all gateways and forgets those of the gone', async () => {
    const [a, b] = [open('a', [offender('x', 3), offender('y', 1)]), open('b', [offender('x', 4)])];
    await a.publish();
    expect(await b.list()).toEqual([offender('x', 7), offender('y', 1)]);
    nowMs += 600_000;
    expect(await b.list()).toEqual([offender('x', 4)]);
    expect(await redis.hkeys(`{${prefix}}:offenders`)).toEqual(['b']);
  });

  it('shows its own list while the store is away', async () => {
    const gone = openRedis(readRedisAddress('redis://127.0.0.1:1')) as Redis;
    gone.on('error', () => undefined);
    const own = [offender('x', 3)];
    const shared = new SharedOffenders(gone, 'a', { own: () => own, nowMs: () => nowMs, prefix });
    expect(await shared.list()).toEqual(own);
    gone.disconnect();
  });
});
