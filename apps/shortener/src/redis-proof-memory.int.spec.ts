import { describeWith, redisUrl } from '@gatepost/test-services';
import { Redis } from 'ioredis';
import { RedisProofMemory } from './redis-proof-memory.ts';

describeWith(['redis'], 'proofs remembered in Redis', () => {
  const prefix = `spec-${process.pid}-${Date.now()}:`;
  let nodes: Redis[];
  let memories: RedisProofMemory[];

  beforeAll(() => {
    nodes = [new Redis(redisUrl()), new Redis(redisUrl())];
    memories = nodes.map((node) => new RedisProofMemory(node, prefix));
  });

  afterAll(async () => {
    const keys = (await nodes?.[0]?.keys(`${prefix}*`)) ?? [];
    if (keys.length > 0) await nodes[0]?.del(keys);
    for (const node of nodes ?? []) node.disconnect();
  });

  it('lets one of ten uses at two nodes pass, in every round', async () => {
    for (let round = 0; round < 50; round++) {
      const uses = Array.from({ length: 10 }, (_, use) => memories[use % 2]?.note(`p${round}`, 70));
      const passed = (await Promise.all(uses)).filter(Boolean);
      expect(passed).toHaveLength(1);
    }
  });

  it('forgets a proof when it could not be used any more', async () => {
    await memories[0]?.note('short-lived', 70);
    const seconds = await nodes[1]?.ttl(`${prefix}proof:short-lived`);
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThanOrEqual(70);
  });

  it('fails when Redis is out of reach, rather than to answer', async () => {
    const away = new Redis('redis://127.0.0.1:1', {
      lazyConnect: true,
      enableOfflineQueue: false,
      retryStrategy: () => null,
    });
    away.on('error', () => undefined);
    await expect(new RedisProofMemory(away, prefix).note('p', 70)).rejects.toThrow();
    away.disconnect();
  });
});
