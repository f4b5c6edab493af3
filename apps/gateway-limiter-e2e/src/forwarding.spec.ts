import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, redisUrl, until } from '@gatepost/test-services';
import { GatewayProcess } from './gateway-process.ts';
import { writeLimits } from './limits-file.ts';
import { openUpstream, type Upstream } from './upstream.ts';

const RATE_FIELDS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
];

describeWith(['redis'], 'the gateway', () => {
  let auth: Upstream;
  let links: Upstream;
  let gateway: GatewayProcess;
  const limits = writeLimits({ free: { day: { limit: 1, burst: 20 } } });

  beforeAll(async () => {
    auth = await openUpstream((_request, response) => void response.end('auth'));
    links = await openUpstream((request, response) => {
      if (request.url?.startsWith('/teapot')) response.statusCode = 418;
      response.end('links');
    });
    gateway = await GatewayProcess.start({
      LIMITS_FILE: limits.file,
      AUTH_UPSTREAM: auth.url,
      SHORTENER_UPSTREAM: links.url,
      REDIS_URL: redisUrl(),
      LIMITER_SECRET: `forwarding-${process.pid}-${Date.now()}`,
      DEMO: 'true',
    });
  });

  afterAll(async () => {
    await gateway?.stop();
    await auth?.close();
    await links?.close();
    limits.remove();
  });

  it.each([
    ['/auth/token', 'auth'],
    ['/.well-known/openid-configuration/auth', 'auth'],
    ['/authABC', 'links'],
    ['/', 'links'],
  ])('leads %s to %s, with the rate fields', async (path, text) => {
    const response = await fetch(gateway.url + path);
    expect(await response.text()).toBe(text);
    for (const field of RATE_FIELDS)
      expect([field, response.headers.get(field)]).not.toContain(null);
  });

  it.each([
    ['400', '/a%2fb', 400],
    ['418 of the upstream', '/teapot', 418],
  ])('says the rate fields with %s', async (_what, path, status) => {
    const response = await fetch(gateway.url + path);
    expect(response.status).toBe(status);
    for (const field of RATE_FIELDS) expect(response.headers.has(field)).toBe(true);
  });

  it('strips a configured API key and forwards every other credential', async () => {
    await fetch(`${gateway.url}/a`, {
      headers: { 'x-api-key': 'demo-key-paid', authorization: 'Bearer something-else' },
    });
    expect(links.seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer something-else' });
    expect(links.seen.at(-1)?.headers).not.toHaveProperty('x-api-key');
    await fetch(`${gateway.url}/a`, { headers: { authorization: 'Bearer demo-key-paid' } });
    expect(links.seen.at(-1)?.headers).not.toHaveProperty('authorization');
    await fetch(`${gateway.url}/a`, { headers: { 'x-api-key': 'nobody-knows-this-key' } });
    expect(links.seen.at(-1)?.headers).toMatchObject({ 'x-api-key': 'nobody-knows-this-key' });
  });

  it('refuses what is too much, readable for a browser, and asks the upstream no more', async () => {
    const headers = { 'x-api-key': 'demo-key-free', origin: 'https://app.example' };
    const before = links.seen.length;
    const all = await Promise.all(
      Array.from({ length: 30 }, () => fetch(`${gateway.url}/burst`, { headers })),
    );
    const refused = all.filter(({ status }) => status === 429);
    expect([refused.length, links.seen.length - before]).toEqual([10, 20]);
    const [first] = refused as [Response];
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(first.headers.get('access-control-allow-origin')).toBe('*');
    expect(first.headers.get('content-type')).toBe('application/problem+json');
    expect(await first.json()).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      'violated-policies': [expect.any(String)],
    });
  });

  it('lets preflights through and charges nothing for them', async () => {
    const preflight = () =>
      fetch(`${gateway.url}/shorten`, {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
      });
    const before = links.seen.length;
    const remaining = async () => Number((await preflight()).headers.get('x-ratelimit-remaining'));
    expect(await remaining()).toBeLessThanOrEqual(await remaining());
    expect(links.seen.length - before).toBe(2);
  });

  it('counts, times and logs each request, without query, address or credential', async () => {
    const before = await gateway.metric('gateway_requests_total', 'route="links"', 'status="418"');
    await fetch(`${gateway.url}/teapot?code=secret-code`, {
      headers: { 'x-api-key': 'demo-key-paid', authorization: 'Bearer secret-bearer' },
    });
    await until(
      async () =>
        (await gateway.metric('gateway_requests_total', 'route="links"', 'status="418"')) ===
        before + 1,
    );
    const text = await gateway.metrics();
    for (const name of [
      'gateway_request_duration_seconds_bucket',
      'gateway_upstream_connections',
      'gateway_upstream_peer_up',
      'nodejs_eventloop_lag_p99_seconds',
      'rate_limit_bucket_fill_ratio',
    ])
      expect(text).toContain(name);
    const line = gateway.output.split('\n').findLast((each) => each.includes('/teapot'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      route: 'links',
      status: 418,
      path: '/teapot',
      durationMs: expect.any(Number),
    });
    expect(gateway.output).not.toMatch(/secret-|demo-key/);
  });

  it('follows its routes file and keeps the former routes when a new one is faulty', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'routes-'));
    const file = join(folder, 'routes.yaml');
    const write = (pool: string) =>
      writeFileSync(
        file,
        `pools: { a: { peers: [${auth.url}] }, b: { peers: [${links.url}] } }\n` +
          `routes: [{ name: all, pool: ${pool} }]\n`,
      );
    write('a');
    const routed = await GatewayProcess.start({ ROUTES_FILE: file });
    const ask = async () => (await fetch(`${routed.url}/x`)).text();
    expect(await ask()).toBe('auth');
    write('nowhere');
    await until(() => routed.output.includes('there is no pool'));
    expect(await ask()).toBe('auth');
    write('b');
    await until(async () => (await ask()) === 'links');
    await routed.stop();
    rmSync(folder, { recursive: true });
  });
});

describe('a gateway that cannot start', () => {
  it.each([
    ['a proxy trusted by count', { TRUSTED_PROXIES: '1' }, 78, 'TRUSTED_PROXIES'],
    ['workers that share no store', { WORKERS: '2' }, 78, 'WORKERS'],
    ['half of a TLS identity', { TLS_CERT: 'x' }, 78, 'TLS_KEY'],
    ['an upstream with a path', { AUTH_UPSTREAM: 'http://a/b' }, 78, 'AUTH_UPSTREAM'],
    ['a routes file that is not there', { ROUTES_FILE: '/nowhere.yaml' }, 1, 'ENOENT'],
  ])('says why: %s', async (_what, environment, code, text) => {
    await expect(GatewayProcess.start(environment)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
    });
  });
});
