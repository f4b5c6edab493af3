import { describeWith, redisUrl } from '@gatepost/test-services';
import type { Redis } from 'ioredis';
import { openRedis, readRedisAddress } from '../limiting/redis-connection.ts';
import { definitionStoreContract } from './definition-store.contract.ts';
import { Definitions } from './definitions.service.ts';
import { RedisDefinitionStore } from './redis-definition-store.ts';

const key = (name: string) => ({
  name,
  tier: 'free',
  digest: `digest-of-${name}`,
  hint: '',
  createdAt: '',
});

describeWith(['redis'], 'Redis definition store', () => {
  let redis: Redis;
  let serial = 0;
  let prefix: string;
  const open = (worker = 'worker') => new RedisDefinitionStore(redis, worker, prefix);

  beforeAll(async () => {
    redis = openRedis(readRedisAddress(redisUrl())) as Redis;
    if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  });
  beforeEach(() => {
    prefix = `definitions-spec-${process.pid}-${++serial}`;
  });
  afterEach(async () => {
    const names = ['version', 'keys', 'overrides', 'workers'];
    await redis.del(...names.map((name) => `{${prefix}}:${name}`));
  });
  afterAll(() => redis.disconnect());

  definitionStoreContract(async () => open());

  it('counts the workers that were heard of in the last seconds', async () => {
    await open('a').sync();
    await open('b').sync();
    expect((await open('a').sync()).liveWorkers).toBe(2);
    const [seconds] = await redis.time();
    await redis.zadd(`{${prefix}}:workers`, Number(seconds) * 1_000 - 60_000, 'gone');
    expect((await open('a').sync()).liveWorkers).toBe(2);
  });

  it('leaves definitions without expiry, so that eviction spares them', async () => {
    const store = open();
    await store.addKey(key('a'));
    expect(await redis.ttl(`{${prefix}}:keys`)).toBe(-1);
  });

  describe('followed by gateways', () => {
    const follow = (worker: string) => {
      const definitions = new Definitions({
        store: open(worker),
        demoKeys: [],
        onTrouble: (error) => {
          throw error;
        },
      });
      definitions.follow(50);
      return definitions;
    };

    it('reaches all of them within a second', async () => {
      const gateways = ['a', 'b', 'c'].map(follow);
      await open().addKey(key('acme'));
      await open().putOverride({ caller: 'user:x', tier: 'paid' });
      const deadline = Date.now() + 1_000;
      const know = (gateway: Definitions) =>
        gateway.findKey('digest-of-acme') && gateway.findOverride('user:x');
      while (!gateways.every(know)) {
        expect(Date.now()).toBeLessThan(deadline);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await open().removeKey('acme');
      while (gateways.some((gateway) => gateway.findKey('digest-of-acme'))) {
        expect(Date.now()).toBeLessThan(deadline + 1_000);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      for (const gateway of gateways) gateway.stop();
    });

    it('is put back by a gateway after the store lost its memory, once', async () => {
      const [a, b] = [follow('a'), follow('b')] as const;
      await open().addKey(key('acme'));
      await open().putOverride({ caller: 'user:x', tier: 'paid' });
      await Promise.all([a.refresh(), b.refresh()]);
      await redis.del(`{${prefix}}:version`, `{${prefix}}:keys`, `{${prefix}}:overrides`);
      await Promise.all([a.refresh(), b.refresh(), a.refresh(), b.refresh()]);
      const restored = await open().load();
      expect(restored.keys).toEqual([key('acme')]);
      expect(restored.overrides).toEqual([{ caller: 'user:x', tier: 'paid' }]);
      expect(restored.version).toBe(3);
      for (const gateway of [a, b]) {
        expect(gateway.findKey('digest-of-acme')?.name).toBe('acme');
        gateway.stop();
      }
    });
  });
});
