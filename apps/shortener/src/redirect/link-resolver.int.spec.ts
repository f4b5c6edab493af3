import { migrate } from '@gatepost/postgres';
import {
  BreakableProxy,
  createTestDatabase,
  describeWith,
  redisUrl,
  startRedis,
  until,
} from '@gatepost/test-services';
import { Redis } from 'ioredis';
import { LinkRepository } from '../links/link.repository.ts';
import { MIGRATIONS } from '../migrate.ts';
import { Node, type NodeOptions } from '../testing/redirect-node.ts';
import { encodeCachedLink } from './cached-link.ts';

const DAY = 24 * 3_600_000;
const owner = 'user:1';

describeWith(['postgres', 'redis', 'redis-server'], 'LinkResolver on Postgres and Redis', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let watcher: Redis;
  let nodes: Node[] = [];
  let links: LinkRepository;
  const prefix = `spec-${process.pid}-${Date.now()}:`;

  beforeAll(async () => {
    database = await createTestDatabase();
    await migrate({ url: database.url, folder: MIGRATIONS });
    watcher = new Redis(redisUrl());
  });

  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    nodes = [];
  });

  afterAll(async () => {
    const keys = (await watcher?.keys(`${prefix}*`)) ?? [];
    if (keys.length > 0) await watcher.del(keys);
    watcher?.disconnect();
    await database?.drop();
  });

  async function startNode(options: Partial<NodeOptions> = {}): Promise<Node> {
    const node = await Node.start({
      postgres: database.url,
      redis: redisUrl(),
      prefix,
      ...options,
    });
    nodes.push(node);
    links ??= new LinkRepository(node.pool);
    links = new LinkRepository(node.pool);
    return node;
  }

  async function create(code: string, expiresAt?: Date): Promise<void> {
    const longUrl = `https://example.org/${code}`;
    await links.insertLink({
      code,
      longUrl,
      owner,
      createdAt: new Date(),
      expiresAt,
      trackClicks: true,
    });
  }

  async function edit(node: Node, code: string, longUrl: string): Promise<void> {
    const change = { longUrl, expiresAt: undefined, trackClicks: undefined };
    const changed = await new LinkRepository(node.pool).changeLink(code, owner, change, new Date());
    if (!changed) throw new Error(`${code} was not changed`);
    await node.courier.announce([changed.invalidation]);
  }

  const keyOf = (code: string) => `${prefix}link:${code}`;

  it('looks in the process, then Redis, then Postgres, and fills on the way back', async () => {
    const [a, b] = [await startNode(), await startNode()];
    await create('layers1');
    expect(await a.follow('layers1')).toBe('https://example.org/layers1');
    expect(await a.follow('layers1')).toBe('https://example.org/layers1');
    expect(a.levels).toMatchObject({ process: 1, redis: 0, postgres: 1 });
    await until(async () => (await watcher.exists(keyOf('layers1'))) === 1);
    expect(await b.follow('layers1')).toBe('https://example.org/layers1');
    expect(b.levels).toMatchObject({ process: 0, redis: 1, postgres: 0 });
  });

  it('keeps a link in Redis for 24 h less some jitter, and never past its expiry', async () => {
    const node = await startNode();
    await create('ttl0001');
    await create('ttl0002', new Date(Date.now() + 60_000));
    await Promise.all([node.follow('ttl0001'), node.follow('ttl0002')]);
    await until(async () => (await watcher.exists(keyOf('ttl0001'), keyOf('ttl0002'))) === 2);
    const ttl = await watcher.pttl(keyOf('ttl0001'));
    expect(ttl).toBeGreaterThan(0.9 * DAY - 1_000);
    expect(ttl).toBeLessThanOrEqual(DAY);
    expect(await watcher.pttl(keyOf('ttl0002'))).toBeLessThanOrEqual(60_000);
  });

  it('reads the database once however many ask for a code at the same time', async () => {
    const node = await startNode();
    await create('flight1');
    const answers = await Promise.all(Array.from({ length: 500 }, () => node.follow('flight1')));
    expect(new Set(answers)).toEqual(new Set(['https://example.org/flight1']));
    expect(node.levels.postgres).toBe(1);
  });

  it('judges the expiry on every hit, in every cache', async () => {
    const [a, b] = [await startNode(), await startNode()];
    const expiresAt = new Date(Date.now() + 60_000);
    await create('expiry1', expiresAt);
    const before = expiresAt.getTime() - 1;
    expect(await a.follow('expiry1', before)).toBe('https://example.org/expiry1');
    expect(await a.follow('expiry1', before + 1)).toBe('expired');
    await watcher.set(
      keyOf('expiry1'),
      encodeCachedLink({
        code: 'expiry1',
        longUrl: 'https://example.org/stale',
        expiresAt: expiresAt.getTime(),
        trackClicks: true,
        version: 1,
        blockedReason: undefined,
        isScanned: false,
      }),
    );
    expect(await b.follow('expiry1', before + 1)).toBe('expired');
  });

  it('does not prolong an entry by using it', async () => {
    const node = await startNode({ freshMs: 15_000 });
    await create('fresh01');
    const now = Date.now();
    for (let second = 0; second < 15; second++) await node.follow('fresh01', now + second * 1_000);
    expect(node.levels).toMatchObject({ process: 14, redis: 0, postgres: 1 });
    await node.follow('fresh01', now + 15_000);
    expect(node.levels.redis + node.levels.postgres).toBe(2);
  });

  it('tells an archived code from one that never was', async () => {
    const node = await startNode();
    await create('archiv2', new Date(Date.now() - 1_000));
    await node.pool.query(`
      WITH moved AS (DELETE FROM links WHERE code = 'archiv2' RETURNING *)
      INSERT INTO link_archive (code, long_url, owner, created_at, expires_at, track_clicks, version)
      SELECT code, long_url, owner, created_at, expires_at, track_clicks, version FROM moved`);
    expect(await node.follow('archiv2')).toBe('expired');
    expect(await node.follow('never01')).toBe('missing');
  });

  it('shows a created link at once where its absence was just cached, elsewhere within a second', async () => {
    const [a, b] = [await startNode(), await startNode()];
    expect([await a.follow('fresh02'), await b.follow('fresh02')]).toEqual(['missing', 'missing']);
    await create('fresh02');
    a.resolver.forget('fresh02');
    expect(await a.follow('fresh02')).toBe('https://example.org/fresh02');
    expect(await b.follow('fresh02', Date.now() + 1_000)).toBe('https://example.org/fresh02');
  });

  it('brings an edit and a deletion to every node within a second', async () => {
    const [a, b] = [await startNode(), await startNode()];
    await create('spread1');
    await Promise.all([a.follow('spread1'), b.follow('spread1')]);
    await edit(a, 'spread1', 'https://example.org/new');
    expect(await a.follow('spread1')).toBe('https://example.org/new');
    await until(async () => (await b.follow('spread1')) === 'https://example.org/new', {
      withinMs: 1_000,
    });
    const removed = await new LinkRepository(b.pool).removeLink('spread1', owner);
    await b.courier.announce(removed ? [removed] : []);
    await until(async () => (await a.follow('spread1')) === 'missing', { withinMs: 1_000 });
    expect(await b.follow('spread1')).toBe('missing');
  });

  it('delivers what a process that died after its commit did not announce', async () => {
    const [a, b] = [await startNode(), await startNode()];
    await create('orphan1');
    await Promise.all([a.follow('orphan1'), b.follow('orphan1')]);
    // The change and its invalidation are committed; nobody announces it.
    await links.changeLink(
      'orphan1',
      owner,
      { longUrl: 'https://example.org/new', expiresAt: undefined, trackClicks: undefined },
      new Date(),
    );
    for (const node of [a, b])
      await until(async () => (await node.follow('orphan1')) === 'https://example.org/new', {
        withinMs: 1_000,
      });
    // Ticked off once it is delivered, which is a moment after it was heard.
    await until(async () => {
      const { rows } = await a.pool.query(
        `SELECT 1 FROM link_invalidations WHERE code = 'orphan1'`,
      );
      return rows.length === 0;
    });
  });

  it('does not let a slow reader bring an old destination back', async () => {
    const node = await startNode();
    await create('slow001');
    const old = await node.resolve('slow001');
    await edit(node, 'slow001', 'https://example.org/new');
    if (old.kind !== 'link') throw new Error('the link is not there');
    // The reader read before the edit, and stores only now.
    node.shared?.store(old.link, Date.now());
    await until(async () => (await node.shared?.find('absent0', Date.now())) === undefined);
    expect(await node.shared?.find('slow001', Date.now())).toBeUndefined();
    expect(await node.follow('slow001')).toBe('https://example.org/new');
    node.shared?.store(old.link, Date.now());
    expect((await node.shared?.find('slow001', Date.now()))?.longUrl).not.toBe(old.link.longUrl);
  });

  it('blocks links that exist already when the blocklist learns of their destination', async () => {
    const node = await startNode();
    await create('listed1');
    expect(await node.follow('listed1')).toBe('https://example.org/listed1');
    node.blocklist.replace({
      hosts: new Set(['example.org']),
      domains: new Set(),
      urlHashes: new Set(),
    });
    expect(await node.follow('listed1')).toBe('blocked');
    node.blocklist.replace({ hosts: new Set(), domains: new Set(), urlHashes: new Set() });
    expect(await node.follow('listed1')).toBe('https://example.org/listed1');
  });

  describe('without Postgres', () => {
    it('follows cached links, answers no false 404, and is back by itself', async () => {
      const { proxy, url } = await BreakableProxy.inFrontOf(database.url);
      const node = await startNode({ postgres: url, freshMs: 1_000 });
      await create('away001');
      await create('away002');
      await node.follow('away001');
      await until(async () => (await watcher.exists(keyOf('away001'))) === 1);
      await proxy.cut();
      expect(await node.follow('away001')).toBe('https://example.org/away001');
      expect(await node.follow('away001', Date.now() + 60_000)).toBe('https://example.org/away001');
      expect(await node.follow('away002')).toBe('store-unavailable');
      expect(await node.follow('absent2')).toBe('store-unavailable');
      await proxy.open();
      await until(async () => (await node.follow('away002')) === 'https://example.org/away002');
      expect(await node.follow('absent2')).toBe('missing');
      await node.stop();
      nodes = nodes.filter((other) => other !== node);
      await proxy.cut();
    });

    it('keeps following what it holds in process when Redis comes back empty meanwhile', async () => {
      const redis = await startRedis();
      const { proxy, url } = await BreakableProxy.inFrontOf(database.url);
      const node = await startNode({ postgres: url, redis: redis.url, prefix: '' });
      await create('empty01');
      await node.follow('empty01');
      await proxy.cut();
      const control = new Redis(redis.url);
      await control.flushall();
      await control.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await control.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      node.resolver.doubtAll();
      expect(await node.follow('empty01')).toBe('https://example.org/empty01');
      expect(await node.follow('never02')).toBe('store-unavailable');
      control.disconnect();
      await node.stop();
      nodes = nodes.filter((other) => other !== node);
      await proxy.cut();
      await redis.stop();
    });

    it('answers in bounded time when the server hangs, cached links as fast as ever', async () => {
      const { proxy, url } = await BreakableProxy.inFrontOf(database.url);
      const node = await startNode({ postgres: url });
      await create('hang001');
      await node.follow('hang001');
      proxy.freeze();
      const began = Date.now();
      const uncached = Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          node.follow(`hang1${String(index).padStart(2, '0')}`),
        ),
      );
      expect(await node.follow('hang001')).toBe('https://example.org/hang001');
      expect(Date.now() - began).toBeLessThan(200);
      expect(new Set(await uncached)).toEqual(new Set(['store-unavailable']));
      expect(Date.now() - began).toBeLessThan(4_000);
      proxy.thaw();
      await until(async () => (await node.follow('hang101')) === 'missing');
      await node.stop();
      nodes = nodes.filter((other) => other !== node);
      await proxy.cut();
    });
  });

  describe('without Redis', () => {
    it('is right while it is away, and uses it again when it is back', async () => {
      const redis = await startRedis();
      const { proxy, url } = await BreakableProxy.inFrontOf(redis.url);
      const node = await startNode({ redis: url, prefix: '' });
      await create('noredi1');
      await create('noredi2');
      await node.follow('noredi1');
      await proxy.cut();
      const began = Date.now();
      expect(await node.follow('noredi1')).toBe('https://example.org/noredi1');
      expect(await node.follow('noredi2')).toBe('https://example.org/noredi2');
      expect(await node.follow('noredi3')).toBe('missing');
      expect(Date.now() - began).toBeLessThan(500);
      await edit(node, 'noredi1', 'https://example.org/new');
      expect(await node.follow('noredi1')).toBe('https://example.org/new');
      await proxy.open();
      await until(() => node.shared?.isTrusted === true);
      await node.stop();
      nodes = nodes.filter((other) => other !== node);
      await proxy.cut();
      await redis.stop();
    });

    it('serves nothing stale from a Redis that was cut off during an edit', async () => {
      const redis = await startRedis();
      const { proxy, url } = await BreakableProxy.inFrontOf(redis.url);
      const options = { redis: url, prefix: '', freshMs: 1_000 };
      const [a, b] = [await startNode(options), await startNode(options)];
      await create('return1');
      await a.follow('return1');
      await until(async () => (await a.shared?.find('return1', Date.now())) !== undefined);
      await proxy.cut();
      await edit(a, 'return1', 'https://example.org/new');
      await proxy.open();
      // Redis kept the old destination. Whoever asks from the first moment on, of any node, never sees it again.
      const deadline = Date.now() + 2_000;
      while (Date.now() < deadline) {
        for (const node of [a, b]) {
          node.resolver.doubtAll();
          expect(await node.follow('return1')).toBe('https://example.org/new');
        }
      }
      expect([a.shared?.isTrusted, b.shared?.isTrusted]).toEqual([true, true]);
      await Promise.all([a, b].map((node) => node.stop()));
      nodes = nodes.filter((node) => node !== a && node !== b);
      await proxy.cut();
      await redis.stop();
    });

    it('brings edits to every node within a second even so', async () => {
      const redis = await startRedis();
      const options = { redis: redis.url, prefix: '' };
      const [a, b] = [await startNode(options), await startNode(options)];
      await create('unheard');
      await Promise.all([a.follow('unheard'), b.follow('unheard')]);
      await redis.kill();
      await until(() => b.shared?.isConnected === false);
      await edit(a, 'unheard', 'https://example.org/new');
      await until(async () => (await b.follow('unheard')) === 'https://example.org/new', {
        withinMs: 1_100,
      });
      await Promise.all([a, b].map((node) => node.stop()));
      nodes = nodes.filter((node) => node !== a && node !== b);
      await redis.stop();
    });

    it('loses a few milliseconds, not seconds, to a Redis that hangs', async () => {
      const redis = await startRedis();
      const node = await startNode({ redis: redis.url, prefix: '' });
      for (let index = 0; index < 30; index++) await create(`hung0${10 + index}`);
      await redis.pause();
      const began = Date.now();
      for (let index = 0; index < 30; index++)
        expect(await node.follow(`hung0${10 + index}`)).toMatch(/^https:/);
      // Three time limits of 50 ms, then the breaker, and a try every 200 ms.
      expect(Date.now() - began).toBeLessThan(1_000);
      await redis.resume();
      await until(() => node.shared?.isTrusted === true);
      await node.stop();
      nodes = nodes.filter((other) => other !== node);
      await redis.stop();
    });

    it('empties the process cache when announcements may have been missed', async () => {
      const redis = await startRedis();
      const [a, b] = [
        await startNode({ redis: redis.url, prefix: '' }),
        await startNode({ redis: redis.url, prefix: '' }),
      ];
      await create('missed1');
      await Promise.all([a.follow('missed1'), b.follow('missed1')]);
      const control = new Redis(redis.url);
      await control.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await edit(a, 'missed1', 'https://example.org/new');
      await until(async () => (await b.follow('missed1')) === 'https://example.org/new', {
        withinMs: 2_000,
      });
      control.disconnect();
      await Promise.all([a, b].map((node) => node.stop()));
      nodes = nodes.filter((node) => node !== a && node !== b);
      await redis.stop();
    });

    it('is the 24 h cache itself where there never was one', async () => {
      const node = await startNode({ redis: undefined as never });
      await create('alone01');
      const now = Date.now();
      await node.follow('alone01', now);
      await node.follow('alone01', now + DAY - 1);
      expect(node.levels.postgres).toBe(1);
      await node.follow('alone01', now + DAY);
      expect(node.levels.postgres).toBe(2);
    });
  });
});
