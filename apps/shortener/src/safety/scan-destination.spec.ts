import { type Hop, PrivateAddress } from './guarded-fetch.ts';
import { ReputationCheck } from './reputation-check.ts';
import { type ScanTools, scanDestination } from './scan-destination.ts';

const signal = new AbortController().signal;

function redirectTo(location: string, status = 302): Hop {
  return { status, location, html: '' };
}

function page(html = ''): Hop {
  return { status: 200, location: undefined, html };
}

class Flags extends ReputationCheck {
  constructor(private readonly verdict: string | Error | undefined) {
    super();
  }

  async check(url: URL): Promise<string | undefined> {
    if (this.verdict instanceof Error) throw this.verdict;
    return url.hostname === 'flagged.example' ? this.verdict : undefined;
  }
}

/** The web as a table: address → what it answers, or how it fails. */
function scan(web: Record<string, Hop | Error>, tools: Partial<ScanTools> = {}) {
  const asked: string[] = [];
  const verdict = scanDestination(
    Object.keys(web)[0] as string,
    {
      fetchHop: async (url) => {
        asked.push(url.href);
        const hop = web[url.href] ?? page();
        if (hop instanceof Error) throw hop;
        return hop;
      },
      findOnBlocklist: (url) => (url.includes('listed.example') ? 'It is listed.' : undefined),
      reputationChecks: [],
      allowPrivate: false,
      isOwnAddress: (url) => url.hostname === 'go.example.com',
      ...tools,
    },
    signal,
  );
  return verdict.then((found) => ({ ...found, asked }));
}

describe('scanDestination', () => {
  it('finds a plain page clean', async () => {
    expect(await scan({ 'https://a.example/': page() })).toMatchObject({ kind: 'clean' });
  });

  it.each([
    ['https://listed.example/', 'It is listed.'],
    ['http://127.0.0.1/', 'The destination leads into a private network.'],
    ['http://[::ffff:10.0.0.1]/', 'The destination leads into a private network.'],
    ['http://0x7f.1/', 'The destination leads into a private network.'],
    ['http://localhost:6379/', 'The destination leads into a private network.'],
    ['http://metadata.google.internal/', 'The destination leads into a private network.'],
  ])('finds a hop to %s bad without asking it anything', async (target, reason) => {
    const found = await scan({ 'https://a.example/': redirectTo(target) });
    expect(found).toEqual({ kind: 'bad', reason, asked: ['https://a.example/'] });
  });

  it('finds a name bad that resolves into a private network', async () => {
    const wrapped = new Error('fetch failed', { cause: new PrivateAddress('b.example') });
    const found = await scan({
      'https://a.example/': redirectTo('https://b.example/'),
      'https://b.example/': wrapped,
    });
    expect(found).toMatchObject({
      kind: 'bad',
      reason: 'The destination leads into a private network.',
    });
  });

  it('takes a private destination where those are allowed', async () => {
    const found = await scan({ 'http://127.0.0.1:3000/': page() }, { allowPrivate: true });
    expect(found.kind).toBe('clean');
  });

  it('asks the reputation checks about every hop', async () => {
    const reputationChecks = [new Flags(undefined), new Flags('Known phishing.')];
    const found = await scan(
      { 'https://a.example/': redirectTo('https://flagged.example/') },
      { reputationChecks },
    );
    expect(found).toMatchObject({ kind: 'bad', reason: 'Known phishing.' });
  });

  it('is inconclusive when a check cannot tell, unless another one can', async () => {
    const down = new Flags(new Error('hook is down'));
    const clean = await scan({ 'https://a.example/': page() }, { reputationChecks: [down] });
    expect(clean.kind).toBe('inconclusive');
    const flagged = await scan(
      { 'https://flagged.example/': page() },
      { reputationChecks: [down, new Flags('Known phishing.')] },
    );
    expect(flagged.kind).toBe('bad');
  });

  it('is inconclusive when a hop cannot be reached', async () => {
    const found = await scan({ 'https://a.example/': new Error('ECONNREFUSED') });
    expect(found.kind).toBe('inconclusive');
  });

  it.each([301, 302, 303, 307, 308])('follows %i with a relative location', async (status) => {
    const found = await scan({
      'https://a.example/x/y': redirectTo('../z?q=1', status),
      'https://a.example/z?q=1': redirectTo('//listed.example/'),
    });
    expect(found).toMatchObject({ kind: 'bad', reason: 'It is listed.' });
  });

  it.each([
    '<html><head><meta http-equiv="refresh" content="0; url=https://listed.example/">',
    "<META CONTENT='5;URL=https://listed.example/' HTTP-EQUIV=Refresh>",
    '<meta charset=utf-8><meta http-equiv=refresh content="0;url=&#104;x"><meta http-equiv="refresh" content="0;url=\'https://listed.example/?a&amp;b\'">',
  ])('follows what a browser follows without asking: %s', async (html) => {
    const found = await scan({ 'https://a.example/': page(html) });
    expect(found.asked[0]).toBe('https://a.example/');
    expect(found.kind === 'bad' || html.includes('&#104;')).toBe(true);
  });

  it('reads a hostile megabyte of tags in linear time', async () => {
    const begun = process.cpuUsage().user;
    const found = await scan({
      'https://a.example/': page('<meta http-equiv '.repeat(60_000)),
    });
    expect(found.kind).toBe('clean');
    const closed = await scan({ 'https://b.example/': page('<meta x>'.repeat(130_000)) });
    expect(closed.kind).toBe('clean');
    expect(process.cpuUsage().user - begun).toBeLessThan(2_000_000);
  });

  it('gives up after five redirects', async () => {
    const web: Record<string, Hop> = {};
    for (let hop = 0; hop < 20; hop++)
      web[`https://a.example/${hop}`] = redirectTo(`https://a.example/${hop + 1}`);
    const found = await scan(web);
    expect(found.asked).toHaveLength(6);
    expect(found.kind).toBe('clean');
  });

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'mailto:a@b.example',
    'http://',
    'https://go.example.com/abc1234',
  ])('does not follow %s', async (target) => {
    const found = await scan({ 'https://a.example/': redirectTo(target) });
    expect(found).toEqual({ kind: 'clean', asked: ['https://a.example/'] });
  });

  it.each(['https://a.example:22/', 'https://a.example:25/', 'https://a.example:993/'])(
    'speaks to no port of another protocol: %s',
    async (target) => {
      const found = await scan({ [target]: page() });
      expect(found).toEqual({ kind: 'clean', asked: [] });
    },
  );
});
