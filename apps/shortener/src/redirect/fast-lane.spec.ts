import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { Readiness } from '@gatepost/service-kit';
import { until } from '@gatepost/test-services';
import type { Click } from '../clicks/click.ts';
import { Blocklist } from '../safety/blocklist.ts';
import type { CachedLink } from './cached-link.ts';
import { trustsPeers } from './client-address.ts';
import { FastLane } from './fast-lane.ts';
import type { LinkLookupRepository } from './link-lookup.repository.ts';
import { LinkResolver } from './link-resolver.ts';
import { Visits } from './visits.ts';

const links: Record<string, Partial<CachedLink>> = {
  tracked: {},
  plain01: { trackClicks: false },
  expired: { expiresAt: Date.now() - 1 },
  blocked: { blockedReason: 'Phishing.' },
  listed1: { longUrl: 'https://listed.example/' },
};

/** The app behind the lane answers 200 to all that reaches it. */
describe('FastLane', () => {
  let server: Server;
  let url: string;
  let readiness: Readiness;
  let clicks: Click[];
  let offered: string[];
  const blocklist = new Blocklist();
  const outcomes = { redirected: 0, blocked: 0, expired: 0, missing: 0, unavailable: 0 };

  beforeEach(async () => {
    clicks = [];
    offered = [];
    readiness = new Readiness();
    readiness.markReady();
    const lookup = {
      findLink: async (code: string) => ({
        code,
        longUrl: 'https://example.org/',
        expiresAt: Number.POSITIVE_INFINITY,
        trackClicks: true,
        version: 1,
        blockedReason: undefined,
        isScanned: false,
        ...links[code],
      }),
    };
    const resolver = new LinkResolver(
      lookup as unknown as LinkLookupRepository,
      undefined,
      blocklist,
      { entries: 10, freshMs: 1_000, levels: { process: 0, redis: 0, postgres: 0, stale: 0 } },
    );
    for (const code of Object.keys(links)) await resolver.resolve(code, Date.now());
    const visits = new Visits(
      { record: (click) => clicks.push(click), flush: async () => undefined },
      { offer: ({ code }: CachedLink) => offered.push(code) } as never,
      trustsPeers(['127.0.0.1']),
    );
    server = createServer((_request, response) => response.end('the app'));
    new FastLane(resolver, visits, outcomes, readiness).install(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { redirect: 'manual', ...init });

  it('redirects a link that is in process, and records the click with the client’s address', async () => {
    const { status, headers } = await call('/tracked', {
      headers: {
        'x-forwarded-for': '203.0.113.9, 198.51.100.7',
        referer: 'https://from.example/',
        'user-agent': 'spec',
      },
    });
    expect([status, headers.get('location')]).toEqual([302, 'https://example.org/']);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(clicks).toEqual([
      {
        code: 'tracked',
        timestamp: expect.any(Date),
        ip: '198.51.100.7',
        referrer: 'https://from.example/',
        userAgent: 'spec',
        traceparent: undefined,
      },
    ]);
    expect(offered).toEqual(['tracked']);
  });

  it('counts neither HEAD nor a prefetch nor a link without tracking', async () => {
    expect((await call('/tracked', { method: 'HEAD' })).status).toBe(302);
    expect((await call('/tracked', { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(302);
    expect((await call('/plain01')).status).toBe(301);
    expect(clicks).toEqual([]);
  });

  it.each([
    '/',
    '/expired',
    '/blocked',
    '/unknown',
    '/tracked?a=b',
    '/tracked/',
    '/TRACKED',
    '//tracked',
    '/%74racked',
  ])('leaves %s to the app', async (path) => {
    expect(await (await call(path)).text()).toBe('the app');
    expect(clicks).toEqual([]);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('leaves %s to the app', async (method) => {
    expect(await (await call('/tracked', { method })).text()).toBe('the app');
  });

  it('leaves a link to the app whose destination has got on the blocklist', async () => {
    expect((await call('/listed1')).status).toBe(302);
    const hosts = new Set(['listed.example']);
    blocklist.replace({ hosts, domains: new Set(), urlHashes: new Set() });
    expect(await (await call('/listed1')).text()).toBe('the app');
  });

  it('leaves everything to the app while it drains, which then closes the connections', async () => {
    readiness.markDraining();
    expect(await (await call('/tracked')).text()).toBe('the app');
  });

  it('keeps connections usable: bodies that nobody wants, pipelines, HTTP/1.0', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const request = 'GET /tracked HTTP/1.1\r\nHost: x\r\n';
    socket.write(`${request}Content-Length: 5\r\n\r\nhello`);
    socket.write(`${request}\r\n`.repeat(20));
    await until(() => received.split('HTTP/1.1 302').length === 22, { withinMs: 3_000 });
    socket.write('GET /tracked HTTP/1.0\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received.split('302 Found')).toHaveLength(23);
    expect(received).not.toContain('400');
  });
});
