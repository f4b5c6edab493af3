import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostileIssuer } from '../../test/hostile-issuer.ts';
import { Home } from '../../test/run.ts';

let issuer: HostileIssuer;
let home: Home;

beforeEach(async () => {
  issuer = await HostileIssuer.start();
  home = await Home.make({ GATEPOST_URL: issuer.baseUrl });
  issuer.api.set('GET /links', () => ({ status: 200, body: { items: [], nextCursor: null } }));
  await home.run('login');
});
afterEach(async () => {
  await home.remove();
  await issuer.stop();
});

const stored = async () =>
  JSON.parse(await readFile(join(home.configDir, 'credentials.json'), 'utf8')).sessions[
    issuer.baseUrl
  ];
const refreshes = () =>
  issuer.requests.filter(({ body }) => body.get('grant_type') === 'refresh_token').length;

describe('a session', () => {
  it('is used as it is while its access token is good', async () => {
    const { accessToken } = await stored();
    expect((await home.run('links')).exitCode).toBe(0);
    expect(issuer.requests.at(-1)?.headers.authorization).toBe(`Bearer ${accessToken}`);
    expect(refreshes()).toBe(0);
  });

  it('is renewed when its access token is about to expire', async () => {
    const before = await stored();
    home.offsetMs = 290_000;
    expect((await home.run('links')).exitCode).toBe(0);
    const after = await stored();
    expect(after.accessToken).not.toBe(before.accessToken);
    expect(after.refreshToken).not.toBe(before.refreshToken);
    expect(after).toMatchObject({ subject: 'user-1', scope: before.scope });
    expect(issuer.requests.at(-1)?.headers.authorization).toBe(`Bearer ${after.accessToken}`);
  });

  it('is renewed once though ten commands need it at once', async () => {
    home.offsetMs = 290_000;
    const ran = await Promise.all(Array.from({ length: 10 }, () => home.run('links')));
    expect(ran.map(({ exitCode }) => exitCode)).toEqual(Array(10).fill(0));
    expect(refreshes()).toBe(1);
  });

  it('is renewed once when the server refuses its access token', async () => {
    const { accessToken } = await stored();
    issuer.api.set('GET /links', ({ headers }) =>
      headers.authorization === `Bearer ${accessToken}`
        ? { status: 401, body: {} }
        : { status: 200, body: { items: [], nextCursor: null } },
    );
    expect((await home.run('links')).exitCode).toBe(0);
    expect(refreshes()).toBe(1);
  });

  it('that the server refuses altogether needs a sign-in', async () => {
    issuer.api.set('GET /links', () => ({ status: 401, body: {} }));
    const { exitCode, err } = await home.run('links');
    expect([exitCode, err]).toEqual([3, expect.stringContaining('gatepost login')]);
    expect(refreshes()).toBe(1);
  });

  it('ends, and is forgotten, when the refresh token is not good any more', async () => {
    issuer.refreshTokens.clear();
    home.offsetMs = 290_000;
    const { exitCode, err } = await home.run('links');
    expect([exitCode, err]).toEqual([3, expect.stringContaining('Your session has ended.')]);
    expect(await stored()).toBeUndefined();
    expect((await home.run('links')).err).toContain('You are not signed in');
  });

  it('outlives a server that is away for a while', async () => {
    issuer.tokenFailure = { status: 503, body: {} };
    home.offsetMs = 290_000;
    expect((await home.run('links')).exitCode).toBe(5);
    issuer.tokenFailure = undefined;
    expect((await home.run('links')).exitCode).toBe(0);
  });

  it('does not become somebody else’s by a refresh', async () => {
    issuer.cheat = ({ claims, sign }) => {
      claims['sub'] = 'user-2';
      return sign();
    };
    home.offsetMs = 290_000;
    const { exitCode, err } = await home.run('links');
    expect([exitCode, err]).toEqual([3, expect.stringContaining('cannot be trusted')]);
  });

  it('is looked for by base address', async () => {
    const { exitCode, err } = await home.run('links --base-url http://127.0.0.1:1');
    expect([exitCode, err]).toEqual([
      3,
      expect.stringContaining('not signed in at http://127.0.0.1:1'),
    ]);
  });
});

describe('whoami', () => {
  it('shows who signed in', async () => {
    const { exitCode, out } = await home.run('whoami');
    expect(exitCode).toBe(0);
    for (const text of [
      'demo@example.com',
      'Demo User',
      'not verified yet',
      'user-1',
      'demo-cli',
      'links:write',
    ])
      expect(out).toContain(text);
  });

  it('shows it as JSON, without a token', async () => {
    const { out } = await home.run('whoami --json');
    expect(JSON.parse(out)).toEqual({
      subject: 'user-1',
      name: 'Demo User',
      email: 'demo@example.com',
      emailVerified: false,
      baseUrl: issuer.baseUrl,
      issuer: issuer.issuer,
      clientId: 'demo-cli',
      scope: ['openid', 'profile', 'email', 'offline_access', 'links:read', 'links:write'],
    });
  });
});

describe('logout', () => {
  it('revokes both tokens and forgets them', async () => {
    const { accessToken, refreshToken } = await stored();
    const { exitCode, out } = await home.run('logout');
    expect([exitCode, out]).toEqual([0, expect.stringContaining('Signed out')]);
    expect(issuer.revoked).toEqual([refreshToken, accessToken]);
    expect(await stored()).toBeUndefined();
  });

  it('forgets them even when the server cannot be told, and says so', async () => {
    await issuer.stop();
    const { exitCode, err } = await home.run('logout');
    expect([exitCode, err]).toEqual([5, expect.stringContaining('could not be told')]);
    expect((await home.run('whoami')).exitCode).toBe(3);
    issuer = await HostileIssuer.start();
  });

  it('of nobody is no error', async () => {
    await home.run('logout');
    expect((await home.run('logout')).exitCode).toBe(0);
  });
});
