import { describeWith } from '@gatepost/test-services';
import { PUBLIC_URL, TestShortener } from './shortener.ts';

describeWith(['postgres'], 'POST /shorten', () => {
  let shortener: TestShortener;
  const longUrl = 'https://example.org/a?b=c';

  beforeAll(async () => {
    shortener = await TestShortener.start();
  });

  afterAll(() => shortener?.stop());

  const shorten = (body: unknown, options = {}) => shortener.call('/shorten', { body, ...options });

  describe('201', () => {
    it('makes a link out of an address alone', async () => {
      const { status, headers, json } = await shorten({ longUrl });
      expect(status).toBe(201);
      expect(json).toEqual({
        code: expect.stringMatching(/^[0-9A-Za-z]{7}$/),
        shortUrl: `${PUBLIC_URL}/${json.code}`,
        longUrl,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        expiresAt: null,
        trackClicks: true,
        state: 'active',
      });
      expect(headers.get('location')).toBe(json.shortUrl);
      expect(headers.get('x-request-id')).toBeTruthy();
    });

    it('takes an alias, an expiry and the choice not to track', async () => {
      const { status, json } = await shorten({
        longUrl,
        customAlias: 'MyAlias1',
        expiresAt: '2099-01-01T00:00:00+01:00',
        trackClicks: false,
      });
      expect(status).toBe(201);
      expect(json).toMatchObject({
        code: 'MyAlias1',
        expiresAt: '2098-12-31T23:00:00.000Z',
        trackClicks: false,
      });
    });

    it('makes two links out of one address asked for twice', async () => {
      const codes = await Promise.all([
        shortener.create({ longUrl }),
        shortener.create({ longUrl }),
      ]);
      expect(new Set(codes).size).toBe(2);
    });

    it('shows and sends the serialised address', async () => {
      const { json } = await shorten({ longUrl: 'HTTPS://Bücher.example:443/ä/../b' });
      expect(json.longUrl).toBe('https://xn--bcher-kva.example/b');
      const followed = await shortener.call(`/${json.code}`);
      expect(followed.headers.get('location')).toBe('https://xn--bcher-kva.example/b');
    });

    it('gives the link to the user or the client of the token', async () => {
      const user = shortener.token({ sub: 'owner-1' });
      const code = await shortener.create({}, user);
      expect((await shortener.call(`/links/${code}`, { token: user })).status).toBe(200);
      const client = shortener.token({ sub: 'batch', clientId: 'batch' });
      const other = await shortener.create({}, client);
      expect((await shortener.call(`/links/${other}`, { token: client })).status).toBe(200);
      expect((await shortener.call(`/links/${other}`, { token: user })).status).toBe(404);
    });
  });

  describe('400', () => {
    it.each([
      ['/longUrl', {}],
      ['/longUrl', { longUrl: 5 }],
      ['/longUrl', { longUrl: null }],
      ['/trackClicks', { longUrl, trackClicks: 'yes' }],
      ['/customAlias', { longUrl, customAlias: 5 }],
      ['/expiresAt', { longUrl, expiresAt: 1_893_456_000 }],
      ['/code', { longUrl, code: 'abc1234' }],
      ['/alias~1x', { longUrl, 'alias/x': 1 }],
      ['', []],
      ['', 'null'],
      ['', '"text"'],
    ])('invalid-request points to "%s"', async (pointer, body) => {
      const { status, headers, json } = await shorten(body);
      expect(status).toBe(400);
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(json).toMatchObject({
        type: 'urn:gatepost:problem:invalid-request',
        status: 400,
        instance: '/shorten',
        requestId: headers.get('x-request-id'),
      });
      expect(json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
    });

    it.each([
      ['invalid-url', { longUrl: 'javascript:alert(1)' }],
      ['invalid-url', { longUrl: 'http://127.0.0.1/' }],
      ['invalid-url', { longUrl: 'http://[::ffff:169.254.169.254]/' }],
      ['invalid-url', { longUrl: `${PUBLIC_URL}/abc1234` }],
      ['invalid-url', { longUrl: ' https://example.org' }],
      ['invalid-url', { longUrl: 'https://user@example.org' }],
      ['invalid-alias', { longUrl, customAlias: 'short' }],
      ['invalid-alias', { longUrl, customAlias: 'has-dash' }],
      ['invalid-alias', { longUrl, customAlias: 'Console' }],
      ['invalid-expiry', { longUrl, expiresAt: '2020-01-01T00:00:00Z' }],
      ['invalid-expiry', { longUrl, expiresAt: '2099-01-01' }],
    ])('%s for %j', async (code, body) => {
      const { status, json } = await shorten(body);
      expect([status, json.type]).toEqual([400, `urn:gatepost:problem:${code}`]);
      expect(json.errors).toHaveLength(1);
    });

    it('invalid-url for an address longer than 2,048 characters', async () => {
      const { json } = await shorten({ longUrl: `https://example.org/${'a'.repeat(2_048)}` });
      expect(json.type).toBe('urn:gatepost:problem:invalid-url');
    });

    it.each(['{', '{"longUrl": }', '\u0000', '{"__proto__":{}}', ''])(
      'malformed-request for the body %j',
      async (body) => {
        expect((await shorten(body)).status).toBe(400);
      },
    );
  });

  describe('401 and 403', () => {
    it.each([
      ['of another audience', { audience: 'https://other.example' }],
      ['of another issuer', { issuer: 'https://other.example/auth' }],
      ['that has expired', { lifetimeSeconds: -60 }],
      ['that is an id_token', { type: 'JWT' }],
    ])('refuses a token %s, though a link may be made without one', async (_name, wishes) => {
      const { status, headers, json } = await shorten(
        { longUrl },
        { token: shortener.token(wishes) },
      );
      expect([status, json.type]).toEqual([401, 'urn:gatepost:problem:token-refused']);
      expect(headers.get('www-authenticate')).toContain('Bearer');
    });

    it('refuses what is no token', async () => {
      expect((await shorten({ longUrl }, { token: 'nonsense' })).status).toBe(401);
    });

    it('refuses a token without the scope', async () => {
      const { status, json } = await shorten(
        { longUrl },
        { token: shortener.token({ scope: 'links:read' }) },
      );
      expect([status, json.type]).toEqual([403, 'urn:gatepost:problem:scope-missing']);
    });

    it('wants a token where anonymous links are switched off', async () => {
      const strict = await shortener.startProcess({ ANONYMOUS_CREATE: 'false' });
      expect((await strict.call('/shorten', { body: { longUrl } })).status).toBe(401);
      const token = shortener.token();
      expect((await strict.call('/shorten', { body: { longUrl }, token })).status).toBe(201);
    });
  });

  describe('409', () => {
    it('alias-taken, whoever has it', async () => {
      await shortener.create({ customAlias: 'taken01' });
      for (const token of [undefined, shortener.token()]) {
        const { status, json } = await shorten(
          { longUrl, customAlias: 'taken01' },
          token ? { token } : {},
        );
        expect([status, json.type]).toEqual([409, 'urn:gatepost:problem:alias-taken']);
      }
      expect((await shorten({ longUrl, customAlias: 'Taken01' })).status).toBe(201);
    });

    it('stays after the link has gone', async () => {
      const token = shortener.token();
      await shortener.create({ customAlias: 'gone001' }, token);
      await shortener.call('/links/gone001', { method: 'DELETE', token });
      expect((await shorten({ longUrl, customAlias: 'gone001' }, { token })).status).toBe(409);
    });

    it('goes to 49 of 50 that race for an alias, over two processes, and one of them is killed', async () => {
      const second = await shortener.startProcess();
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, racer) =>
            (racer % 2 ? second : shortener.process).call('/shorten', {
              body: { longUrl, customAlias: `racer0${round}` },
            }),
          ),
        );
        const statuses = answers.map(({ status }) => status).sort();
        expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
      }
      const answers = Array.from({ length: 50 }, (_, racer) =>
        (racer % 2 ? second : shortener.process)
          .call('/shorten', { body: { longUrl, customAlias: 'killed1' } })
          .then(({ status }) => status)
          .catch(() => 0),
      );
      await Promise.race(answers);
      second.kill();
      const statuses = await Promise.all(answers);
      // The winner may have died between its commit and its answer, but there is never a second one.
      expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1);
      expect(statuses.filter((status) => ![0, 201, 409].includes(status))).toEqual([]);
      expect((await shorten({ longUrl, customAlias: 'killed1' })).status).toBe(409);
      expect((await shortener.call('/killed1')).status).toBe(302);
    });
  });

  describe('413 and 415', () => {
    it('refuses a body over 64 KiB', async () => {
      const { status, json } = await shorten({
        longUrl: `https://example.org/${'a'.repeat(65_536)}`,
      });
      expect([status, json.type]).toEqual([413, 'urn:gatepost:problem:body-too-large']);
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'text/csv', 'application/xml'])(
      'refuses %s',
      async (mediaType) => {
        const { status, json } = await shorten('longUrl=https://example.org', {
          headers: { 'content-type': mediaType },
        });
        expect([status, json.type]).toEqual([415, 'urn:gatepost:problem:media-type-unsupported']);
      },
    );

    it('minds neither case nor parameters of the media type', async () => {
      const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
      expect((await shorten({ longUrl }, { headers })).status).toBe(201);
    });
  });

  describe('Idempotency-Key', () => {
    const withKey = (key: string, body: unknown, token?: string) =>
      shorten(body, { headers: { 'idempotency-key': key }, ...(token ? { token } : {}) });

    it('gives the same answer to the same request', async () => {
      const first = await withKey('"key-1"', { longUrl });
      const second = await withKey('key-1', { longUrl });
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.json).toEqual(first.json);
      expect(second.headers.get('location')).toBe(first.headers.get('location'));
    });

    it('refuses the key for another body with 422, and is nobody else’s', async () => {
      await withKey('key-2', { longUrl });
      const other = await withKey('key-2', { longUrl: 'https://example.org/other' });
      expect([other.status, other.json.type]).toEqual([
        422,
        'urn:gatepost:problem:idempotency-key-reused',
      ]);
      const mine = await withKey(
        'key-2',
        { longUrl: 'https://example.org/other' },
        shortener.token(),
      );
      expect(mine.status).toBe(201);
    });

    it('makes one link out of many repetitions at once', async () => {
      const token = shortener.token({ sub: 'repeater' });
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => withKey('key-3', { longUrl }, token)),
      );
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses].filter((status) => status !== 201 && status !== 409)).toEqual([]);
      const codes = answers.filter(({ status }) => status === 201).map(({ json }) => json.code);
      expect(new Set(codes).size).toBe(1);
      const list = await shortener.call('/links', { token });
      expect(list.json.items).toHaveLength(1);
    });

    it('refuses what is no key with 400', async () => {
      expect((await withKey('two words', { longUrl })).status).toBe(400);
    });
  });
});
