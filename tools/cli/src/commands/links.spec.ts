import { HostileIssuer } from '../../test/hostile-issuer.ts';
import { Home } from '../../test/run.ts';

let issuer: HostileIssuer;
let home: Home;

beforeEach(async () => {
  issuer = await HostileIssuer.start();
  home = await Home.make({ GATEPOST_URL: issuer.baseUrl });
});
afterEach(async () => {
  await home.remove();
  await issuer.stop();
});

const link = (code: string, more = {}) => ({
  code,
  shortUrl: `http://localhost:8080/${code}`,
  longUrl: `https://example.com/${code}`,
  createdAt: '2026-11-20T10:00:00.000Z',
  expiresAt: null,
  trackClicks: true,
  state: 'active',
  ...more,
});
const problem = (status: number, detail: string, more = {}) => ({
  status,
  body: {
    type: 't',
    title: 'Title',
    status,
    detail,
    instance: '/x',
    requestId: 'request-7',
    ...more,
  },
});
const sent = () => issuer.requests.at(-1);

describe('shorten', () => {
  let body: unknown;
  beforeEach(() => {
    issuer.api.set('POST /shorten', (_, text) => {
      body = JSON.parse(text);
      return { status: 201, body: link('abc1234') };
    });
  });

  it('prints the short URL alone', async () => {
    expect(await home.run('shorten https://example.com/a')).toEqual({
      exitCode: 0,
      out: 'http://localhost:8080/abc1234\n',
      err: '',
    });
    expect(body).toEqual({ longUrl: 'https://example.com/a' });
    expect(sent()?.headers.authorization).toBeUndefined();
  });

  it('sends the token of who is signed in', async () => {
    await home.run('login');
    await home.run('shorten https://example.com/a');
    expect(sent()?.headers.authorization).toMatch(/^Bearer access-/);
  });

  it('passes alias, expiry and tracking on', async () => {
    home.offsetMs = Date.parse('2026-11-20T00:00:00Z') - Date.now();
    await home.run('shorten https://example.com/a --alias poster1 --no-track --expires 7d');
    expect(body).toMatchObject({ customAlias: 'poster1', trackClicks: false });
    expect((body as { expiresAt: string }).expiresAt).toMatch(/^2026-11-2[67]T/);
    await home.run('shorten https://example.com/a --expires 2030-01-01T00:00:00Z');
    expect(body).toMatchObject({ expiresAt: '2030-01-01T00:00:00.000Z' });
  });

  it('prints the whole link as JSON', async () => {
    const { out } = await home.run('shorten https://example.com/a --json');
    expect(JSON.parse(out)).toEqual(link('abc1234'));
  });

  it('says what the server has against it', async () => {
    issuer.api.set('POST /shorten', () =>
      problem(400, 'The long URL cannot be shortened', {
        errors: [{ pointer: '/longUrl', detail: 'needs a public host' }],
      }),
    );
    expect(await home.run('shorten https://localhost/')).toEqual({
      exitCode: 4,
      out: '',
      err: 'error: The long URL cannot be shortened.\n  /longUrl: needs a public host\n',
    });
  });

  it.each([
    [409, 'The alias poster1 is taken.', 4, ''],
    [503, 'The store cannot be reached.', 5, '  request request-7\n'],
  ])('ends with a code of its own on %d', async (status, detail, exitCode, particular) => {
    issuer.api.set('POST /shorten', () => problem(status, detail));
    expect(await home.run('shorten https://example.com')).toEqual({
      exitCode,
      out: '',
      err: `error: ${detail}\n${particular}`,
    });
  });

  it('says when to come again', async () => {
    issuer.api.set('POST /shorten', () => ({
      ...problem(429, 'Too many.'),
      headers: { 'retry-after': '7' },
    }));
    const { exitCode, err } = await home.run('shorten https://example.com');
    expect([exitCode, err]).toEqual([5, 'error: Too many.\nTry again in 7 s.\n']);
  });

  it('says which scope is missing and how to get it', async () => {
    await home.run('login --scope links:read');
    issuer.api.set('POST /shorten', () => ({
      ...problem(403, 'The access token lacks the scope links:write.'),
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="links:write"' },
    }));
    const { exitCode, err } = await home.run('shorten https://example.com');
    expect(exitCode).toBe(4);
    expect(err).toContain(`gatepost login --scope 'links:write'`);
  });

  it('does not follow a redirect with a token', async () => {
    await home.run('login');
    issuer.api.set('POST /shorten', () => ({
      status: 307,
      headers: { location: `${issuer.baseUrl}/links` },
    }));
    expect((await home.run('shorten https://example.com')).exitCode).toBe(5);
    expect(issuer.count('/links')).toBe(0);
  });

  it.each([
    ['shorten', 'takes one URL'],
    ['shorten a b', 'takes one URL'],
    ['shorten https://a.test --expires soon', '--expires takes a time'],
    ['shorten https://a.test --expires 2030-13-01', '--expires takes a time'],
    ['shorten https://a.test --tags x', 'Unknown option'],
    ['shorten https://a.test --alias', 'argument missing'],
  ])('%p is wrong usage', async (words, sentence) => {
    const { exitCode, err } = await home.run(words);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(sentence)]);
    expect(issuer.requests).toEqual([]);
  });
});

describe('links', () => {
  beforeEach(() => home.run('login'));

  it('lists a page, with states and ages', async () => {
    issuer.api.set('GET /links', () => ({
      status: 200,
      body: {
        items: [link('abc1234'), link('old1234', { state: 'expired', trackClicks: false })],
        nextCursor: 'c1',
      },
    }));
    const { exitCode, out, err } = await home.run('links --limit 2');
    expect(exitCode).toBe(0);
    expect(out.split('\n')[0]).toMatch(/^abc1234 {2}active .*https:\/\/example\.com\/abc1234$/);
    expect(out.split('\n')[1]).toMatch(/^old1234 {2}expired .*untracked/);
    expect(err).toContain('There are more');
    expect(sent()?.search.get('limit')).toBe('2');
    expect(out.trim().split('\n')).toHaveLength(2);
  });

  it('follows the cursor as far as was asked', async () => {
    issuer.api.set('GET /links', ({ url }) => {
      const { searchParams } = new URL(url ?? '', issuer.baseUrl);
      const begin = Number(searchParams.get('cursor') ?? 0);
      const size = Number(searchParams.get('limit'));
      const items = Array.from({ length: Math.min(size, 230 - begin) }, (_, index) =>
        link(`l${String(begin + index).padStart(6, '0')}`),
      );
      const end = begin + items.length;
      return { status: 200, body: { items, nextCursor: end < 230 ? String(end) : null } };
    });
    expect((await home.run('links --all')).out.trim().split('\n')).toHaveLength(230);
    expect((await home.run('links --limit 120')).out.trim().split('\n')).toHaveLength(120);
    expect((await home.run('links -n 3 --search l0')).out.trim().split('\n')).toHaveLength(3);
    expect(sent()?.search.get('q')).toBe('l0');
  });

  it('shows no control characters of others', async () => {
    const longUrl = 'https://example.com/\u001b[31mred\u202egnp.exe';
    issuer.api.set('GET /links', () => ({
      status: 200,
      body: { items: [link('abc1234', { longUrl })], nextCursor: null },
    }));
    const { out } = await home.run('links');
    for (const control of ['\u001b', '\u202e']) expect(out).not.toContain(control);
    expect(out).toContain('red');
  });

  it('prints JSON alone with --json', async () => {
    issuer.api.set('GET /links', () => ({ status: 200, body: { items: [], nextCursor: null } }));
    expect(await home.run('links --json')).toEqual({ exitCode: 0, out: '[]\n', err: '' });
    expect((await home.run('links')).out).toBe('No links.\n');
  });

  it('says so when the answer is not understood', async () => {
    issuer.api.set('GET /links', () => ({ status: 200, body: { rows: [] } }));
    const { exitCode, err } = await home.run('links');
    expect([exitCode, err]).toEqual([1, expect.stringContaining('does not understand')]);
  });
});

describe('stats', () => {
  const point = (time: string, humans: number, bots: number) => ({
    time,
    humans,
    bots,
    total: humans + bots,
  });
  const answer = {
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-11-04T00:00:00.000Z',
    interval: 'day',
    total: 14,
    humans: 12,
    bots: 2,
    uniques: 9,
    series: [
      point('2026-11-01T00:00:00.000Z', 0, 0),
      point('2026-11-02T00:00:00.000Z', 8, 2),
      point('2026-11-03T00:00:00.000Z', 4, 0),
    ],
    referrers: [{ name: null, total: 10, humans: 9, bots: 1 }],
    browsers: [{ name: 'Firefox', total: 12, humans: 12, bots: 0 }],
    systems: [],
    devices: [],
    countries: [],
  };
  beforeEach(async () => {
    await home.run('login');
    issuer.api.set('GET /links/abc1234/stats', () => ({ status: 200, body: answer }));
  });

  it('shows people apart from bots, day by day', async () => {
    const { exitCode, out } = await home.run('stats abc1234');
    expect(exitCode).toBe(0);
    expect(out).toContain('12 clicks by people, 9 unique · 2 by bots, 14 in all');
    expect(out).not.toContain('2026-11-01  ');
    expect(out).toMatch(/2026-11-02 {2}█+░+ 8/);
    expect(out).toContain('(direct)');
    expect(out).not.toContain('Systems');
  });

  it('takes a short URL, a range and an interval', async () => {
    await home.run(
      'stats http://localhost:8080/abc1234 --from 2026-11-01 --to 2026-11-04 --interval hour',
    );
    expect(Object.fromEntries(sent()?.search ?? [])).toEqual({
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-04T00:00:00.000Z',
      interval: 'hour',
    });
  });

  it('does not let a code become another path', async () => {
    await home.run('stats ../admin?x=1');
    expect(sent()?.path).toBe('/links/..%2Fadmin%3Fx%3D1/stats');
  });

  it.each([
    'stats',
    'stats a b',
    'stats abc1234 --interval week',
    'stats abc1234 --from yesterday',
  ])('%p is wrong usage', async (words) => {
    expect((await home.run(words)).exitCode).toBe(2);
  });
});
