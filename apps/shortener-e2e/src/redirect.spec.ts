import { connect } from 'node:net';
import { describeWith, until } from '@gatepost/test-services';
import pg from 'pg';
import { TestShortener } from './shortener.ts';

describeWith(['postgres'], 'GET /{code}', () => {
  let shortener: TestShortener;
  let database: pg.Client;

  beforeAll(async () => {
    shortener = await TestShortener.start();
    database = new pg.Client(shortener.databaseUrl);
    await database.connect();
  });

  afterAll(async () => {
    await database?.end();
    await shortener?.stop();
  });

  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  describe('302', () => {
    it('leads to the long URL and may be kept by nobody', async () => {
      const code = await shortener.create({ longUrl: 'https://example.org/a?b=c#d' });
      const { status, headers, text } = await shortener.call(`/${code}`);
      expect(status).toBe(302);
      expect(headers.get('location')).toBe('https://example.org/a?b=c#d');
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('x-robots-tag')).toBe('noindex');
      expect(text).toBe('');
    });

    it('is the same whether it comes from the process, past the app, or through it', async () => {
      for (const body of [{}, { trackClicks: false }]) {
        const code = await shortener.create(body);
        const answers = [`/${code}`, `/${code}`, `/${code}?through=the-app`].map((path) =>
          shortener.call(path),
        );
        const shapes = (await Promise.all(answers)).map(({ status, headers, text }) => {
          const fields = Object.fromEntries(headers);
          delete fields['date'];
          delete fields['x-request-id'];
          return { status, fields, text };
        });
        expect(shapes[1]).toEqual(shapes[0]);
        expect(shapes[2]).toEqual(shapes[0]);
      }
    });

    it('answers HEAD alike', async () => {
      const code = await shortener.create();
      const { status, headers } = await shortener.call(`/${code}`, { method: 'HEAD' });
      expect([status, headers.get('location')]).toEqual([302, 'https://example.org/']);
    });

    it('ignores Authorization, a bad token too, and the query', async () => {
      const code = await shortener.create();
      expect((await shortener.call(`/${code}?utm=1`, { token: 'nonsense' })).status).toBe(302);
    });

    it('never lets a code break out of the header', async () => {
      const longUrl = 'https://example.org/%0d%0aSet-Cookie:%20a=b';
      const code = await shortener.create({ longUrl });
      const { headers } = await shortener.call(`/${code}`);
      expect(headers.get('location')).toBe(longUrl);
      expect(headers.get('set-cookie')).toBeNull();
    });
  });

  describe('301', () => {
    it('may be kept for an hour where clicks are not tracked', async () => {
      const code = await shortener.create({ trackClicks: false });
      const { status, headers } = await shortener.call(`/${code}`);
      expect([status, headers.get('cache-control')]).toEqual([301, 'public, max-age=3600']);
    });

    it('may never be kept past the expiry', async () => {
      const expiresAt = new Date(Date.now() + 100_000).toISOString();
      const code = await shortener.create({ trackClicks: false, expiresAt });
      const { headers } = await shortener.call(`/${code}`);
      const seconds = Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1]);
      expect(seconds).toBeGreaterThan(90);
      expect(seconds).toBeLessThan(100);
    });
  });

  describe('404', () => {
    it.each([
      '/aaaaaaa',
      '/AAAAAAA',
      '/aaaaa',
      '/aaaaaaaaa',
      '/a-aaaaa',
      '/%61%61',
      '/..%2f..',
      '/aaaaaaa/',
    ])('for %s, as a problem', async (path) => {
      const { status, headers, json } = await shortener.call(path);
      expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json']);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(json.status).toBe(404);
    });

    it.each(['/aaaaaaa', '/no/such/path', '/favicon.ico'])(
      'for %s, as a page to a browser',
      async (path) => {
        const { status, headers, text } = await shortener.call(path, { headers: html });
        expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('content-security-policy')).toContain("default-src 'none'");
        expect(text).toContain('There is no link here');
      },
    );

    it('minds the case of codes', async () => {
      await shortener.create({ customAlias: 'CaseOne' });
      expect((await shortener.call('/CaseOne')).status).toBe(302);
      expect((await shortener.call('/caseone')).status).toBe(404);
    });

    it('from the moment of expiry on, in cached links too, and says so', async () => {
      const expiresAt = new Date(Date.now() + 700).toISOString();
      const code = await shortener.create({ expiresAt });
      expect((await shortener.call(`/${code}`)).status).toBe(302);
      await until(async () => (await shortener.call(`/${code}`)).status === 404, {
        withinMs: 2_000,
      });
      const { json } = await shortener.call(`/${code}`);
      expect(json.type).toBe('urn:gatepost:problem:link-expired');
      const page = await shortener.call(`/${code}`, { headers: html });
      expect(page.text).toContain('This link has expired');
      const taken = await shortener.call('/shorten', {
        body: { longUrl: 'https://example.org', customAlias: code },
      });
      expect(taken.status).toBe(409);
    });

    it('for an archived link, whose code stays taken', async () => {
      const code = await shortener.create({ expiresAt: new Date(Date.now() + 300).toISOString() });
      await database.query(
        `WITH moved AS (DELETE FROM links WHERE code = $1 RETURNING *)
         INSERT INTO link_archive (code, long_url, owner, created_at, expires_at, track_clicks, version)
         SELECT code, long_url, owner, created_at, expires_at, track_clicks, version FROM moved`,
        [code],
      );
      const { json } = await shortener.call(`/${code}`);
      expect(json.type).toBe('urn:gatepost:problem:link-expired');
      const body = { longUrl: 'https://example.org', customAlias: code };
      expect((await shortener.call('/shorten', { body })).status).toBe(409);
    });
  });

  describe('other methods', () => {
    it.each([
      ...['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((method) => [
        method,
        '/aaaaaaa',
        'GET, HEAD',
      ]),
      ['GET', '/shorten', 'POST'],
      ['DELETE', '/links', 'GET, HEAD'],
      ['PUT', '/links/aaaaaaa', 'DELETE, GET, HEAD, PATCH'],
      ['PROPFIND', '/links/aaaaaaa/qr', 'GET, HEAD'],
    ] as [string, string, string][])(
      '405 for %s %s, which has %s',
      async (method, path, allowed) => {
        const { status, headers, json } = await shortener.call(path, { method });
        expect([status, headers.get('allow')]).toEqual([405, allowed]);
        expect(json.type).toBe('urn:gatepost:problem:method-not-allowed');
      },
    );
  });

  it('answers a pipelined burst on one connection in order', async () => {
    const code = await shortener.create({ longUrl: 'https://example.org/burst' });
    const { hostname, port } = new URL(shortener.process.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(`GET /${code} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50));
    await until(() => received.split('HTTP/1.1 302').length === 51, { withinMs: 3_000 });
    socket.destroy();
  });
});
