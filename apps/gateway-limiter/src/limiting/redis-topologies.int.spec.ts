import { definePolicy, type TakeRequest } from '@gatepost/limiter-core';
import { describeWith, startRedis } from '@gatepost/test-services';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { RedisDefinitionStore } from '../administration/redis-definition-store.ts';
import { SharedOffenders } from '../administration/shared-offenders.ts';
import { openRedis, readRedisAddress } from './redis-connection.ts';
import { ReplicationMetrics } from './replication-metrics.ts';
import { SharedBuckets } from './shared-buckets.ts';

type Server = Awaited<ReturnType<typeof startRedis>>;

const monotonicUs = () => Math.floor(performance.now() * 1_000);
const policy = definePolicy('', { day: { limit: 100_000 } });
const request = (key: string): TakeRequest => [{ key, policy, cost: 1 }];

async function until(isSo: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<number> {
  const start = performance.now();
  while (!(await isSo())) {
    if (performance.now() - start > withinMs) throw new Error(`not so within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return performance.now() - start;
}

/** Asks a server without leaving a connection behind. */
async function ask(port: number, ...command: string[]): Promise<unknown> {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const [name, ...args] = command as [string, ...string[]];
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

describeWith(['redis-server'], 'Redis in its forms', () => {
  const started: Server[] = [];
  const start = async (options: Parameters<typeof startRedis>[0] = {}) => {
    const server = await startRedis(options);
    started.push(server);
    return server;
  };
  let buckets: SharedBuckets | undefined;
  const phases: string[] = [];
  // Not a matter of speed here, and the machine may be busy.
  const open = async (url: string, timeoutMs = 1_000) => {
    phases.length = 0;
    buckets = new SharedBuckets({
      url,
      timeoutMs,
      monotonicUs,
      onCall: () => undefined,
      onPhase: (_node, phase) => phases.push(phase),
    });
    expect(await buckets.connected(10_000)).toBe(true);
    return buckets;
  };
  afterEach(async () => {
    buckets?.close();
    await Promise.all(started.splice(0).map((server) => server.stop()));
  });

  it('ACL: signs in as a user who may do nothing but what the limiter does', async () => {
    const server = await start({
      args: [
        '--user',
        'default',
        'off',
        '--user',
        'gate',
        'on',
        '>se:cret',
        '~rl:*',
        '~{limits}:*',
        '+@read',
        '+@write',
        '+@scripting',
        '+@connection',
        '+time',
        '+info',
        '-@dangerous',
        '+info',
      ],
    });
    const { take, client } = await open(`redis://gate:se%3Acret@127.0.0.1:${server.port}`);
    expect((await take(request('rl:{ab}x')))?.kind).toBe('allowed');
    expect(await take(request('elsewhere'))).toBeUndefined();
    const definitions = new RedisDefinitionStore(client, 'worker');
    await definitions.putOverride({ caller: 'user:x', tier: 'paid' });
    expect(await definitions.sync()).toEqual({ version: 1, liveWorkers: 1 });
    const offenders = new SharedOffenders(client, 'worker', { own: () => [], nowMs: Date.now });
    expect(await offenders.list()).toEqual([]);
    await expect(client.flushall()).rejects.toThrow('NOPERM');
  });

  describe('Sentinel', () => {
    it('follows a failover, loses no more than was not replicated, and limits again', async () => {
      const primary = await start();
      const replica = await start({ args: ['--replicaof', '127.0.0.1', String(primary.port)] });
      const sentinel = await start({
        config: [
          `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
          'sentinel down-after-milliseconds main 300',
          'sentinel failover-timeout main 2000',
          '',
        ].join('\n'),
        args: ['--sentinel'],
      });
      await until(async () =>
        String(await ask(replica.port, 'INFO', 'replication')).includes('master_link_status:up'),
      );
      // The sentinel must have heard of the replica, or it has nobody to promote.
      await until(
        async () =>
          ((await ask(sentinel.port, 'SENTINEL', 'REPLICAS', 'main')) as unknown[]).length === 1,
      );
      const { take } = await open(`redis+sentinel://127.0.0.1:${sentinel.port}/main`);
      for (let index = 0; index < 50; index++)
        expect((await take(request('rl:{ab}s')))?.kind).toBe('allowed');
      await ask(primary.port, 'WAIT', '1', '1000');
      await primary.kill();
      await until(async () => (await take(request('rl:{ab}s'))) !== undefined);
      expect(String(await ask(replica.port, 'INFO', 'replication'))).toContain('role:master');
      const after = await take(request('rl:{ab}s'));
      // 52 drawn, less what refilled meanwhile: 1.2 a second.
      expect(after?.reported.tokens).toBeLessThan(100_000 - 30);
      expect(phases).toEqual(['open', 'closed']);
    }, 60_000);
  });

  describe('Cluster', () => {
    const startCluster = async (masters: number) => {
      const nodes = await Promise.all(
        Array.from({ length: masters + 1 }, () =>
          start({
            // Port 0 of the bus would be port + 10000, which may not exist.
            args: [
              '--cluster-enabled',
              'yes',
              '--cluster-node-timeout',
              '1000',
              '--cluster-port',
              String(20_000 + Math.floor(Math.random() * 10_000)),
              '--cluster-replica-validity-factor',
              '0',
              '--cluster-require-full-coverage',
              'no',
            ],
          }),
        ),
      );
      const [first] = nodes as [Server];
      for (const node of nodes.slice(1)) {
        const bus = String(await ask(node.port, 'CONFIG', 'GET', 'cluster-port')).split(
          ',',
        )[1] as string;
        await ask(first.port, 'CLUSTER', 'MEET', '127.0.0.1', String(node.port), bus);
      }
      const perMaster = Math.ceil(16_384 / masters);
      for (let index = 0; index < masters; index++)
        await ask(
          (nodes[index] as Server).port,
          'CLUSTER',
          'ADDSLOTSRANGE',
          String(index * perMaster),
          String(Math.min(16_383, (index + 1) * perMaster - 1)),
        );
      const replica = nodes[masters] as Server;
      const firstId = String(await ask(first.port, 'CLUSTER', 'MYID'));
      await until(async () =>
        String(await ask(replica.port, 'CLUSTER', 'NODES')).includes(firstId),
      );
      await ask(replica.port, 'CLUSTER', 'REPLICATE', firstId);
      for (const node of nodes)
        await until(async () =>
          String(await ask(node.port, 'CLUSTER', 'INFO')).includes('cluster_state:ok'),
        );
      await until(async () =>
        String(await ask(replica.port, 'INFO', 'replication')).includes('master_link_status:up'),
      );
      return { nodes: nodes.slice(0, masters), replica };
    };

    it('decides across nodes, pairs within one call, and goes on when a node fails', async () => {
      const { nodes, replica } = await startCluster(3);
      const url = `redis+cluster://127.0.0.1:${nodes[1]?.port},127.0.0.1:${nodes[2]?.port}`;
      const { take, client } = await open(url);
      const tags = Array.from({ length: 60 }, (_, index) => index.toString(36).padStart(2, 'z'));
      const key = (tag: string) => `rl:{${tag}}caller`;

      const spread = await Promise.all(tags.map((tag) => take(request(key(tag)))));
      expect(spread.every((decision) => decision?.kind === 'allowed')).toBe(true);
      const sizes = await Promise.all(nodes.map(({ port }) => ask(port, 'DBSIZE')));
      expect(sizes.every((size) => Number(size) > 5)).toBe(true);

      // Key and address of an unknown bearer share a tag: one call, all or nothing.
      const single = definePolicy('', { day: { limit: 1 } });
      const pair = (bearer: string): TakeRequest => [
        { key: `rl:{ab}${bearer}`, policy, cost: 1 },
        { key: 'rl:{ab}address', policy: single, cost: 1 },
      ];
      expect((await take(pair('one')))?.kind).toBe('allowed');
      expect((await take(pair('two')))?.kind).toBe('refused');
      expect(await client.exists('rl:{ab}two')).toBe(0);

      const victim = nodes[0] as Server;
      await victim.kill();
      const away = await Promise.all(tags.map((tag) => take(request(key(tag)))));
      const undecided = tags.filter((_tag, index) => away[index] === undefined);
      expect(undecided.length).toBeGreaterThan(0);
      // What lives on the other nodes is not touched by it, at any time until the replica has taken over.
      const others = tags.filter((tag) => !undecided.includes(tag)).slice(0, 5);
      let refusedElsewhere = 0;
      await until(async () => {
        for (const tag of others) if (!(await take(request(key(tag))))) refusedElsewhere++;
        return (await take(request(key(undecided[0] as string)))) !== undefined;
      });
      expect(refusedElsewhere).toBe(0);
      expect(String(await ask(replica.port, 'INFO', 'replication'))).toContain('role:master');
    }, 90_000);
  });

  describe('replication lag', () => {
    it('grows on a paused replica, in seconds and bytes, and is gone when it has caught up', async () => {
      const primary = await start();
      const client = openRedis(readRedisAddress(primary.url));
      client.on('error', () => undefined);
      let nowMs = 0;
      const registry = new Registry();
      const metrics = new ReplicationMetrics(client, registry, () => nowMs);
      const series = async (name: string) => {
        await metrics.measure();
        const lines = (await registry.metrics()).split('\n');
        const line = lines.find((each) => each.startsWith(`rate_limit_store_${name}{`));
        return line === undefined ? undefined : Number(line.split(' ').at(-1));
      };
      await until(() => client.status === 'ready');
      expect(await series('replication_lag_seconds')).toBeUndefined();

      const replica = await start({ args: ['--replicaof', '127.0.0.1', String(primary.port)] });
      await until(async () => (await series('replica_up')) === 1);
      await until(async () => (await series('replication_lag_bytes')) === 0);
      expect(await series('replication_lag_seconds')).toBe(0);

      replica.pause();
      await client.set('written', 'while the replica sleeps');
      expect(await series('replication_lag_bytes')).toBeGreaterThan(0);
      nowMs += 7_000;
      expect(await series('replication_lag_seconds')).toBe(7);
      replica.resume();
      await until(async () => (await series('replication_lag_seconds')) === 0);
      expect(await series('replica_up')).toBe(1);

      await replica.kill();
      await until(async () => (await series('replica_up')) === 0);
      client.disconnect();
    }, 60_000);
  });
});
