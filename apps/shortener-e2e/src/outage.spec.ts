import { BreakableProxy, describeWith, startRedis, until } from '@gatepost/test-services';
import { TestShortener } from './shortener.ts';

describeWith(['postgres'], 'while Postgres is away', () => {
  let shortener: TestShortener;
  let behind: BreakableProxy;
  let broken: Awaited<ReturnType<TestShortener['startProcess']>>;
  let token: string;
  const body = { longUrl: 'https://example.org/' };

  beforeAll(async () => {
    shortener = await TestShortener.start();
    const { proxy, url } = await BreakableProxy.inFrontOf(shortener.databaseUrl);
    behind = proxy;
    broken = await shortener.startProcess({ DATABASE_URL: url });
    token = shortener.token();
  });

  afterAll(async () => {
    await shortener?.stop();
    await behind?.cut();
  });

  it('cached links redirect, nothing else is guessed, and all is well when it is back', async () => {
    const [cached, uncached] = [await shortener.create(), await shortener.create()];
    expect((await broken.call(`/${cached}`)).status).toBe(302);
    await behind.cut();

    expect((await broken.call(`/${cached}`)).status).toBe(302);
    for (const path of [`/${uncached}`, '/absent1']) {
      const { status, headers, json } = await broken.call(path);
      expect([status, json.type]).toEqual([503, 'urn:gatepost:problem:store-unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    const page = await broken.call(`/${uncached}`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      503,
      'text/html; charset=utf-8',
    ]);
    expect(page.headers.get('retry-after')).toBeTruthy();

    const refused = [
      broken.call('/shorten', { body }),
      broken.call('/shorten', { body: { ...body, customAlias: 'outage1' } }),
      broken.call('/shorten', { body, headers: { 'idempotency-key': 'outage' } }),
      broken.call('/links/bulk', { body: { items: [body] }, token }),
      broken.call('/links', { token }),
      broken.call('/links/export', { token }),
      broken.call(`/links/${cached}`, { token }),
      broken.call(`/links/${cached}`, { method: 'PATCH', body: { trackClicks: false }, token }),
      broken.call(`/links/${cached}`, { method: 'DELETE', token }),
    ];
    for (const answer of refused) {
      const { status, headers, text, json } = await answer;
      expect([status, json?.type]).toEqual([503, 'urn:gatepost:problem:store-unavailable']);
      expect(headers.get('retry-after')).toBeTruthy();
      expect(text).not.toMatch(/ECONN|127\.0\.0\.1|postgres|prisma|pg/i);
    }
    // Input that can be judged without the store is.
    expect((await broken.call('/shorten', { body: { longUrl: 'nonsense' } })).status).toBe(400);

    await behind.open();
    await until(async () => (await broken.call(`/${uncached}`)).status === 302);
    await until(async () => (await broken.call('/shorten', { body })).status === 201);
    expect((await broken.call('/absent1')).status).toBe(404);
    expect((await broken.call('/outage1')).status).toBe(404);
  });

  it('a server that hangs costs an answer some time, never the process', async () => {
    const [cached, uncached] = [await shortener.create(), await shortener.create()];
    expect((await broken.call(`/${cached}`)).status).toBe(302);
    behind.freeze();
    const began = Date.now();
    expect((await broken.call(`/${cached}`)).status).toBe(302);
    expect(Date.now() - began).toBeLessThan(500);
    expect((await broken.call(`/${uncached}`)).status).toBe(503);
    expect(Date.now() - began).toBeLessThan(4_000);
    expect((await broken.call('/shorten', { body })).status).toBe(503);
    expect(Date.now() - began).toBeLessThan(15_000);
    behind.thaw();
    await until(async () => (await broken.call('/shorten', { body })).status === 201, {
      withinMs: 15_000,
    });
    await until(async () => (await broken.call(`/${uncached}`)).status === 302);
  });

  it('readiness does not depend on it', async () => {
    await behind.cut();
    const ready = await fetch(`${broken.managementUrl}/readyz?verbose`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ dependencies: { postgres: { up: false } } });
    const metrics = await fetch(`${broken.managementUrl}/metrics`);
    expect(metrics.status).toBe(200);
    expect(await metrics.text()).toMatch(
      /shortener_redirects_total\{outcome="unavailable"[^}]*\} [1-9]/,
    );
    await behind.open();
  });
});

describeWith(['postgres', 'redis'], 'two nodes with a Redis', () => {
  let shortener: TestShortener;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let other: Awaited<ReturnType<TestShortener['startProcess']>>;
  let token: string;

  beforeAll(async () => {
    redis = await startRedis();
    shortener = await TestShortener.start({ REDIS_URL: redis.url });
    other = await shortener.startProcess();
    token = shortener.token();
  });

  afterAll(async () => {
    await shortener?.stop();
    await redis?.stop();
  });

  const locationOf = async (node: typeof other, code: string) =>
    (await node.call(`/${code}`)).headers.get('location');

  it('an edit on one is seen on the other within a second', async () => {
    const code = await shortener.create({}, token);
    expect(await locationOf(other, code)).toBe('https://example.org/');
    const body = { longUrl: 'https://example.org/moved' };
    await shortener.call(`/links/${code}`, { method: 'PATCH', body, token });
    await until(async () => (await locationOf(other, code)) === body.longUrl, { withinMs: 1_000 });
    await other.call(`/links/${code}`, { method: 'DELETE', token });
    await until(async () => (await shortener.call(`/${code}`)).status === 404, { withinMs: 1_000 });
  });

  it('redirects, creates and edits go on, right and fast, when Redis is killed', async () => {
    const code = await shortener.create({}, token);
    await locationOf(other, code);
    await redis.kill();
    const began = Date.now();
    for (let round = 0; round < 20; round++) expect(await locationOf(other, code)).toBeTruthy();
    const fresh = await shortener.create({}, token);
    expect(await locationOf(other, fresh)).toBe('https://example.org/');
    expect((await other.call('/absent1')).status).toBe(404);
    const body = { longUrl: 'https://example.org/moved' };
    const patched = await shortener.call(`/links/${code}`, { method: 'PATCH', body, token });
    expect(patched.status).toBe(200);
    expect(await locationOf(shortener.process, code)).toBe(body.longUrl);
    expect(Date.now() - began).toBeLessThan(3_000);
    // The announcement is lost, but a node that hears none looks again after a second.
    await until(async () => (await locationOf(other, code)) === body.longUrl, { withinMs: 1_500 });
  });
});
