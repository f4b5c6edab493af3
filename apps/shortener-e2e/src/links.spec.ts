import { describeWith } from '@gatepost/test-services';
import pg from 'pg';
import { PUBLIC_URL, TestShortener } from './shortener.ts';

describeWith(['postgres'], '/links', () => {
  let shortener: TestShortener;
  let alice: string;
  let mallory: string;

  beforeAll(async () => {
    shortener = await TestShortener.start();
    alice = shortener.token({ sub: 'alice' });
    mallory = shortener.token({ sub: 'mallory' });
  });

  afterAll(() => shortener?.stop());

  const patch = (code: string, body: unknown, token = alice) =>
    shortener.call(`/links/${code}`, { method: 'PATCH', body, token });

  async function inDatabase(statement: string, ...values: unknown[]): Promise<void> {
    const client = new pg.Client(shortener.databaseUrl);
    await client.connect();
    await client.query(statement, values);
    await client.end();
  }

  /** A link whose end date has passed. */
  async function createExpired(): Promise<string> {
    const code = await shortener.create({}, alice);
    await inDatabase(
      `UPDATE links SET expires_at = now() - interval '1 hour' WHERE code = $1`,
      code,
    );
    return code;
  }

  async function archive(code: string): Promise<void> {
    await inDatabase(
      `WITH moved AS (DELETE FROM links WHERE code = $1 RETURNING *)
       INSERT INTO link_archive (code, long_url, owner, created_at, expires_at, track_clicks, version)
       SELECT code, long_url, owner, created_at, expires_at, track_clicks, version FROM moved`,
      code,
    );
  }

  describe('GET /links', () => {
    it('401 without a token, 403 without the scope', async () => {
      expect((await shortener.call('/links')).status).toBe(401);
      const token = shortener.token({ scope: 'links:write' });
      expect((await shortener.call('/links', { token })).status).toBe(403);
    });

    it('200 with every own link once, newest first, page by page', async () => {
      const token = shortener.token({ sub: 'lister' });
      const codes: string[] = [];
      for (let index = 0; index < 7; index++)
        codes.unshift(await shortener.create({ longUrl: `https://example.org/${index}` }, token));
      const seen: string[] = [];
      let cursor: string | null = '';
      let pages = 0;
      while (cursor !== null) {
        const { json }: { json: { items: { code: string }[]; nextCursor: string | null } } =
          await shortener.call(`/links?limit=3&cursor=${cursor}&q=`, { token });
        seen.push(...json.items.map(({ code }) => code));
        cursor = json.nextCursor;
        pages += 1;
      }
      expect([seen, pages]).toEqual([codes, 3]);
    });

    it('200 with what contains the text', async () => {
      const token = shortener.token({ sub: 'searcher' });
      const code = await shortener.create({ longUrl: 'https://example.org/Needle_1' }, token);
      await shortener.create({ longUrl: 'https://example.org/hay' }, token);
      for (const q of ['needle', 'NEEDLE_', code.slice(0, 5).toLowerCase()]) {
        const { json } = await shortener.call(`/links?q=${q}`, { token });
        expect(json.items.map((link: { code: string }) => link.code)).toEqual([code]);
      }
      expect((await shortener.call('/links?q=needle%25', { token })).json.items).toEqual([]);
    });

    it('200 with the state of each', async () => {
      const token = shortener.token({ sub: 'stately' });
      const [active, expired, archived, blocked] = [
        await shortener.create({}, token),
        await shortener.create({}, token),
        await shortener.create({}, token),
        await shortener.create({}, token),
      ];
      await inDatabase('UPDATE links SET expires_at = now() WHERE code = ANY($1)', [
        expired,
        archived,
      ]);
      await inDatabase(`UPDATE links SET blocked_reason = 'Phishing.' WHERE code = $1`, blocked);
      await archive(archived);
      const { json } = await shortener.call('/links', { token });
      const states = Object.fromEntries(
        json.items.map((link: { code: string; state: string }) => [link.code, link.state]),
      );
      expect(states).toEqual({
        [active]: 'active',
        [expired]: 'expired',
        [archived]: 'archived',
        [blocked]: 'blocked',
      });
      const one = await shortener.call(`/links/${blocked}`, { token });
      expect(one.json.blockedReason).toBe('Phishing.');
    });

    it.each(['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'page=2', 'q=a%00b'])(
      '400 for %s',
      async (query) => {
        const { status, json } = await shortener.call(`/links?${query}`, { token: alice });
        expect([status, json.type]).toEqual([400, 'urn:gatepost:problem:invalid-request']);
        expect(json.errors[0].pointer).toBe(`/${query.split('=')[0]}`);
      },
    );
  });

  describe('GET /links/{code}', () => {
    it('200 with the link', async () => {
      const code = await shortener.create({ longUrl: 'https://example.org/x' }, alice);
      const { status, json } = await shortener.call(`/links/${code}`, { token: alice });
      expect(status).toBe(200);
      expect(json).toMatchObject({
        code,
        shortUrl: `${PUBLIC_URL}/${code}`,
        longUrl: 'https://example.org/x',
        state: 'active',
      });
    });

    it('404 for links of others, of nobody, and for none, all alike', async () => {
      const code = await shortener.create({}, alice);
      const anonymous = await shortener.create();
      const answers = await Promise.all(
        [code, anonymous, 'absent1', 'x', "';--", 'a\0bcdef'].map((wanted) =>
          shortener.call(`/links/${encodeURIComponent(wanted)}`, { token: mallory }),
        ),
      );
      for (const { status, json } of answers) {
        expect([status, json.type]).toEqual([404, 'urn:gatepost:problem:link-not-found']);
        expect(json.detail).toBe('You have no link with this code.');
      }
    });
  });

  describe('PATCH /links/{code}', () => {
    it('200 with what was named changed, the rest as it was, and the redirect at once', async () => {
      const code = await shortener.create({ expiresAt: '2099-01-01T00:00:00Z' }, alice);
      expect((await shortener.call(`/${code}`)).headers.get('location')).toBe(
        'https://example.org/',
      );
      const moved = await patch(code, { longUrl: 'https://example.org/moved' });
      expect(moved.status).toBe(200);
      expect(moved.json).toMatchObject({
        longUrl: 'https://example.org/moved',
        expiresAt: '2099-01-01T00:00:00.000Z',
        trackClicks: true,
      });
      const followed = await shortener.call(`/${code}`);
      expect(followed.headers.get('location')).toBe('https://example.org/moved');
      expect((await patch(code, { trackClicks: false, expiresAt: null })).json).toMatchObject({
        longUrl: 'https://example.org/moved',
        expiresAt: null,
        trackClicks: false,
      });
      expect((await shortener.call(`/${code}`)).status).toBe(301);
    });

    it.each([
      ['invalid-request', {}],
      ['invalid-request', { code: 'abc1234' }],
      ['invalid-request', { longUrl: null }],
      ['invalid-request', { trackClicks: null }],
      ['invalid-url', { longUrl: 'http://10.0.0.1/' }],
      ['invalid-url', { longUrl: `${PUBLIC_URL}/loop123` }],
      ['invalid-expiry', { expiresAt: '2020-01-01T00:00:00Z' }],
    ])('400 %s for %j', async (type, body) => {
      const code = await shortener.create({}, alice);
      const { status, json } = await patch(code, body);
      expect([status, json.type]).toEqual([400, `urn:gatepost:problem:${type}`]);
    });

    it('409 on an expired link: nothing brings it back', async () => {
      const code = await createExpired();
      for (const body of [
        { expiresAt: '2099-01-01T00:00:00Z' },
        { expiresAt: null },
        { trackClicks: false },
      ]) {
        const { status, json } = await patch(code, body);
        expect([status, json.type]).toEqual([409, 'urn:gatepost:problem:link-not-active']);
      }
      expect((await shortener.call(`/${code}`)).status).toBe(404);
    });

    it('409 on an archived link', async () => {
      const code = await createExpired();
      await archive(code);
      expect((await patch(code, { expiresAt: null })).status).toBe(409);
    });

    it('404 for the link of another, which stays as it is', async () => {
      const code = await shortener.create({}, alice);
      for (const wanted of [code, 'a%00bcdef'])
        expect((await patch(wanted, { longUrl: 'https://evil.example/' }, mallory)).status).toBe(
          404,
        );
      expect((await shortener.call(`/${code}`)).headers.get('location')).toBe(
        'https://example.org/',
      );
    });

    it('403 without the scope', async () => {
      const code = await shortener.create({}, alice);
      const reader = shortener.token({ sub: 'alice', scope: 'links:read' });
      expect((await patch(code, { trackClicks: false }, reader)).status).toBe(403);
    });
  });

  describe('DELETE /links/{code}', () => {
    const remove = (code: string, token = alice) =>
      shortener.call(`/links/${code}`, { method: 'DELETE', token });

    it('204, then 404 everywhere, and the code is never given out again', async () => {
      const code = await shortener.create({}, alice);
      expect((await shortener.call(`/${code}`)).status).toBe(302);
      const { status, text } = await remove(code);
      expect([status, text]).toEqual([204, '']);
      expect((await shortener.call(`/${code}`)).status).toBe(404);
      expect((await shortener.call(`/links/${code}`, { token: alice })).status).toBe(404);
      expect((await remove(code)).status).toBe(404);
      const body = { longUrl: 'https://example.org', customAlias: code };
      expect((await shortener.call('/shorten', { body, token: alice })).status).toBe(409);
    });

    it('204 for an expired and for an archived link', async () => {
      const expired = await createExpired();
      expect((await remove(expired)).status).toBe(204);
      const archived = await createExpired();
      await archive(archived);
      expect((await remove(archived)).status).toBe(204);
      expect((await shortener.call(`/links/${archived}`, { token: alice })).status).toBe(404);
    });

    it('404 for the link of another, which stays', async () => {
      const code = await shortener.create({}, alice);
      for (const wanted of [code, 'a%00bcdef'])
        expect((await remove(wanted, mallory)).status).toBe(404);
      expect((await shortener.call(`/${code}`)).status).toBe(302);
    });
  });
});
