import { startTestPlatform, type TestPlatform } from '@gatepost/platform';
import { describeWith, kafkaBrokers, redisUrl } from '@gatepost/test-services';
import * as client from 'openid-client';
import { DEMO_WEB, discover, signIn } from './sign-in.ts';

const RATE_FIELDS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** The main job, on real input, through the one public door. */
function describeJourney(environment: () => Record<string, string>): void {
  let running: TestPlatform;
  let base = '';
  beforeAll(async () => {
    running = await startTestPlatform(environment());
    base = running.publicUrl;
  }, 60_000);
  afterAll(() => running?.stop(), 60_000);

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(base + path, { headers, redirect: 'manual' });
  const shorten = (body: unknown, token?: string) =>
    fetch(`${base}/shorten`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    });
  /** Counting is asynchronous by design: looked for until it is there. */
  async function statsOf(
    code: string,
    token: string,
    total: number,
  ): Promise<Record<string, unknown>> {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const stats = (await (
        await get(`/links/${code}/stats`, { authorization: `Bearer ${token}` })
      ).json()) as { total: number };
      if (stats.total >= total || Date.now() > deadline) return stats;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  describe('a person signs in', () => {
    let token = '';
    let code = '';

    it('gets tokens for a code, with PKCE, through the sign-in page and the consent page', async () => {
      const { tokens } = await signIn(
        base,
        DEMO_WEB,
        'openid email profile links:read links:write',
      );
      expect(tokens.claims()).toMatchObject({
        iss: `${base}/auth`,
        aud: 'demo-web',
        email: 'demo@example.com',
        name: 'Demo User',
      });
      expect(tokens.claims()?.['at_hash']).toEqual(expect.any(String));
      token = tokens.access_token;
    });

    it('creates a short link with the access token', async () => {
      const answer = await shorten({ longUrl: 'https://example.com/a?b=c#d' }, token);
      const link = (await answer.json()) as { code: string };
      expect([answer.status, link]).toEqual([
        201,
        expect.objectContaining({
          longUrl: 'https://example.com/a?b=c#d',
          shortUrl: `${base}/${link.code}`,
          trackClicks: true,
        }),
      ]);
      expect(link.code).toMatch(/^[0-9A-Za-z]{7}$/);
      for (const field of RATE_FIELDS) expect(answer.headers.get(field)).toMatch(/^\d+$/);
      code = link.code;
    });

    it('is redirected by it', async () => {
      const answer = await get(`/${code}`, {
        'user-agent':
          'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
      });
      expect([
        answer.status,
        answer.headers.get('location'),
        answer.headers.get('cache-control'),
      ]).toEqual([302, 'https://example.com/a?b=c#d', 'private, no-store']);
      for (const field of RATE_FIELDS) expect(answer.headers.get(field)).toMatch(/^\d+$/);
    });

    it('sees the click counted', async () => {
      expect(await statsOf(code, token, 1)).toMatchObject({
        total: 1,
        humans: 1,
        bots: 0,
        uniques: 1,
      });
    }, 30_000);

    it('finds the link in the listing', async () => {
      const page = (await (await get('/links', { authorization: `Bearer ${token}` })).json()) as {
        items: { code: string }[];
      };
      expect(page.items.map((item) => item.code)).toContain(code);
    });

    it('learns who is signed in from userinfo, with the same token', async () => {
      const answer = await get('/auth/userinfo', { authorization: `Bearer ${token}` });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ email: 'demo@example.com' }),
      ]);
    });
  });

  it('a machine gets a token with client_credentials and owns what it creates', async () => {
    const config = await discover(base, { clientId: 'demo-m2m', secret: 'demo-m2m-secret' });
    const { access_token: token } = await client.clientCredentialsGrant(config, {
      scope: 'links:read links:write',
    });
    const created = (await (
      await shorten({ longUrl: 'https://example.org/m2m' }, token)
    ).json()) as { code: string };
    expect((await get(`/links/${created.code}`, { authorization: `Bearer ${token}` })).status).toBe(
      200,
    );
  });

  describe('bad input', () => {
    let token = '';
    let idToken = '';
    beforeAll(async () => {
      const { tokens } = await signIn(base, DEMO_WEB, 'openid links:read links:write');
      token = tokens.access_token;
      idToken = tokens.id_token ?? '';
    });

    async function expectProblem(answer: Response, status: number, type: string): Promise<void> {
      const problem = (await answer.json()) as Record<string, unknown>;
      expect([answer.status, answer.headers.get('content-type'), problem]).toEqual([
        status,
        'application/problem+json',
        expect.objectContaining({ type: `urn:gatepost:problem:${type}`, status }),
      ]);
      for (const member of ['title', 'detail', 'instance', 'requestId'])
        expect(problem[member]).toEqual(expect.any(String));
      expect(JSON.stringify(problem)).not.toMatch(/\bat .+:\d+:\d+|node_modules/);
      for (const field of RATE_FIELDS) expect(answer.headers.get(field)).toMatch(/^\d+$/);
    }

    it('a listing without a token is 401', async () =>
      expectProblem(await get('/links'), 401, 'token-missing'));
    it('an id_token as an access token is 401', async () =>
      expectProblem(
        await shorten({ longUrl: 'https://example.com/' }, idToken),
        401,
        'token-refused',
      ));
    it('a token that is none is 401', async () =>
      expectProblem(
        await shorten({ longUrl: 'https://example.com/' }, 'nonsense'),
        401,
        'token-refused',
      ));
    it.each([
      'javascript:alert(1)',
      'not a url',
      'http://127.0.0.1/',
      'http://[::1]/',
      'https://user:secret@example.com/',
      'http://0x7f.1/',
      ' https://example.com/',
      'http://localhost./',
    ])('the URL %j is 400', async (longUrl) =>
      expectProblem(await shorten({ longUrl }, token), 400, 'invalid-url'),
    );
    it('a taken alias is 409', async () => {
      expect(
        (await shorten({ longUrl: 'https://example.com/', customAlias: 'taken01' }, token)).status,
      ).toBe(201);
      await expectProblem(
        await shorten({ longUrl: 'https://example.com/', customAlias: 'taken01' }, token),
        409,
        'alias-taken',
      );
    });
    it('a reserved alias is 400', async () =>
      expectProblem(
        await shorten({ longUrl: 'https://example.com/', customAlias: 'account' }, token),
        400,
        'invalid-alias',
      ));
    it('an unknown member is 400 and is pointed at', async () => {
      const answer = await shorten({ longUrl: 'https://example.com/', owner: 'someone' }, token);
      expect(
        ((await answer.clone().json()) as { errors: { pointer: string }[] }).errors.map(
          (error) => error.pointer,
        ),
      ).toEqual(['/owner']);
      await expectProblem(answer, 400, 'invalid-request');
    });
    it('a body that is not JSON is 400', async () => {
      const answer = await fetch(`${base}/shorten`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"longUrl":',
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        400,
        'application/problem+json',
      ]);
    });
    it('an unknown code is 404', async () =>
      expectProblem(await get('/zzzzzz9'), 404, 'link-not-found'));
    it('a path that nobody serves is 404', async () =>
      expectProblem(await get('/no/such/path'), 404, 'not-found'));
    it('a person who follows a dead link gets a page', async () => {
      const answer = await get('/zzzzzz9', { accept: 'text/html' });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        404,
        expect.stringContaining('text/html'),
      ]);
    });
  });

  it('answers a burst with 429 and says when to come back', async () => {
    // A slow machine refills the bucket while it asks: waves, until one is refused.
    let refused: Response[] = [];
    for (let wave = 0; wave < 10 && refused.length === 0; wave++) {
      const answers = await Promise.all(
        Array.from({ length: 300 }, () => get('/zzzzzz8', { 'x-api-key': 'not-a-key-of-anyone' })),
      );
      refused = answers.filter((answer) => answer.status === 429);
    }
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    }
    const problem = (await refused[0]?.json()) as { type: string };
    expect(problem.type).toBe('https://iana.org/assignments/http-problem-types#quota-exceeded');
  }, 60_000);
}

describeWith(['postgres'], 'the path in embedded mode', () => describeJourney(() => ({})));

describeWith(['postgres', 'redis', 'kafka'], 'the path on Redis and Kafka', () =>
  describeJourney(() => ({ REDIS_URL: redisUrl(), KAFKA_BROKERS: kafkaBrokers().join(',') })),
);
