import { describeWith } from '@gatepost/test-services';
import { type Answer, TestShortener } from './shortener.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describeWith(['postgres'], 'GET /links/{code}/stats', () => {
  let shortener: TestShortener;
  let token: string;

  beforeAll(async () => {
    shortener = await TestShortener.start();
    token = shortener.token();
  });

  afterAll(() => shortener?.stop());

  const click = (code: string, headers: Record<string, string> = {}, method = 'GET') =>
    shortener.call(`/${code}`, { method, headers: { 'user-agent': FIREFOX, ...headers } });

  /** Clicks are counted a moment after they were answered. */
  async function statsWith(code: string, total: number): Promise<Answer> {
    const limit = Date.now() + 10_000;
    for (;;) {
      const answer = await shortener.call(`/links/${code}/stats?interval=minute`, { token });
      if (answer.json.total >= total || Date.now() > limit) return answer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('200 with every click, people and bots apart', async () => {
    const code = await shortener.create({}, token);
    const visitor = { 'x-forwarded-for': '203.0.113.7' };
    await click(code, { ...visitor, referer: 'https://www.news.example/today?q=1' });
    await click(code, visitor);
    await click(code, { 'x-forwarded-for': '203.0.113.8' });
    await click(code, { 'user-agent': GOOGLEBOT });
    const { status, headers, json } = await statsWith(code, 4);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(json).toMatchObject({ total: 4, humans: 3, bots: 1, uniques: 2, interval: 'minute' });
    expect(json.series).toHaveLength(60);
    expect(json.referrers).toEqual([
      { name: null, total: 3, humans: 2, bots: 1 },
      { name: 'news.example', total: 1, humans: 1, bots: 0 },
    ]);
    expect(json.browsers).toContainEqual({ name: 'Firefox', total: 3, humans: 3, bots: 0 });
    expect(json.systems).toContainEqual({ name: 'Linux', total: 3, humans: 3, bots: 0 });
    expect(json.devices).toContainEqual({ name: 'bot', total: 1, humans: 0, bots: 1 });
    expect(json.countries).toEqual([{ name: null, total: 4, humans: 3, bots: 1 }]);
  });

  it.each([
    ['a HEAD', {}, 'HEAD'],
    ['a prefetch', { 'sec-purpose': 'prefetch' }, 'GET'],
    ['a prerender', { 'sec-purpose': 'prefetch;prerender' }, 'GET'],
  ])('200 without %s', async (_what, headers, method) => {
    const code = await shortener.create({}, token);
    expect((await click(code, headers, method)).status).toBe(302);
    await click(code);
    expect((await statsWith(code, 1)).json.total).toBe(1);
  });

  it('200 without the clicks of an untracked link', async () => {
    const code = await shortener.create({ trackClicks: false }, token);
    const tracked = await shortener.create({}, token);
    expect((await click(code)).status).toBe(301);
    await click(tracked);
    await statsWith(tracked, 1);
    expect((await statsWith(code, 0)).json.total).toBe(0);
  });

  it('200 with the clicks that were answered just before the service was stopped', async () => {
    const code = await shortener.create({}, token);
    const other = await shortener.startProcess();
    for (let number = 0; number < 20; number++)
      await other.call(`/${code}`, { headers: { 'user-agent': FIREFOX } });
    expect(await other.stop()).toBe(0);
    const { json } = await shortener.call(`/links/${code}/stats?interval=hour`, { token });
    expect(json.total).toBe(20);
  });

  it.each([
    'interval=week',
    'from=yesterday',
    'from=2026-11-20T00:00:00Z&to=2026-11-01T00:00:00Z',
    'until=now',
    'to=9999-12-31T00:00:00Z',
  ])('400 for %s', async (query) => {
    const code = await shortener.create({}, token);
    const { status, json } = await shortener.call(`/links/${code}/stats?${query}`, { token });
    expect([status, json.type]).toEqual([400, 'urn:gatepost:problem:invalid-request']);
    expect(json.errors).toHaveLength(1);
  });

  it('401 without a token, 403 without the scope, 404 for the link of another', async () => {
    const code = await shortener.create({}, token);
    const statusWith = async (wishes?: Parameters<TestShortener['token']>[0] | null) =>
      (
        await shortener.call(`/links/${code}/stats`, {
          ...(wishes === null ? {} : { token: shortener.token(wishes) }),
        })
      ).status;
    expect(await statusWith(null)).toBe(401);
    expect(await statusWith({ scope: 'links:write' })).toBe(403);
    expect(await statusWith({ sub: 'mallory' })).toBe(404);
    expect(await statusWith()).toBe(200);
  });
});
