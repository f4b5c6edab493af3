import { createHmac } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import {
  assemble,
  HostileIssuer,
  type IdTokenDraft,
  makeKey,
  signWith,
} from '../../test/hostile-issuer.ts';
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

const stored = async () =>
  JSON.parse(await readFile(join(home.configDir, 'credentials.json'), 'utf8'));
const isNothingStored = async () => (await readdir(home.configDir).catch(() => [])).length === 0;

describe('login with a browser', () => {
  it('signs in and says as whom', async () => {
    const { exitCode, out, err } = await home.run('login');
    expect([exitCode, err.includes('error')]).toEqual([0, false]);
    expect(out).toContain('Signed in at');
    expect(out).toContain('demo@example.com');
    expect(home.page).toContain('You are signed in');
    const { sessions } = await stored();
    expect(sessions[issuer.baseUrl]).toMatchObject({ issuer: issuer.issuer, subject: 'user-1' });
  });

  it('asks for a code with PKCE, state and nonce, at a loopback address', async () => {
    await home.run('login');
    const { search } = issuer.requests.find(({ path }) => path === '/auth/authorize') ?? {};
    expect(Object.fromEntries(search ?? [])).toMatchObject({
      response_type: 'code',
      client_id: 'demo-cli',
      code_challenge_method: 'S256',
      scope: 'openid profile email offline_access links:read links:write',
      prompt: 'consent',
    });
    expect(search?.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect((search?.get(name) ?? '').length).toBeGreaterThanOrEqual(43);
    const { body } = issuer.requests.find(({ path }) => path === '/auth/token') ?? {};
    expect((body?.get('code_verifier') ?? '').length).toBeGreaterThanOrEqual(43);
  });

  it('uses other random values each time', async () => {
    await home.run('login');
    await home.run('login');
    const asked = issuer.requests.filter(({ path }) => path === '/auth/authorize');
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new Set(asked.map(({ search }) => search.get(name))).size).toBe(2);
  });

  it('starts from discovery', async () => {
    await home.run('login');
    expect(issuer.requests[0]?.path).toBe('/auth/.well-known/openid-configuration');
  });

  it('keeps the tokens where only the user can read them, and shows them nowhere', async () => {
    const { out, err } = await home.run('login --json');
    const { sessions } = await stored();
    const { accessToken, refreshToken } = sessions[issuer.baseUrl];
    expect((await stat(join(home.configDir, 'credentials.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(home.configDir)).mode & 0o777).toBe(0o700);
    expect(await readdir(home.configDir)).toEqual(['credentials.json']);
    const urls = issuer.requests.map(({ path, search }) => `${path}?${search}`).join('\n');
    for (const secret of [accessToken, refreshToken])
      expect(
        [out, err, home.page, urls, home.visited.join()].some((text) => text.includes(secret)),
      ).toBe(false);
  });

  it('moves the browser away from the address that holds the code', async () => {
    await home.run('login');
    expect(home.visited.at(-1)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/done$/);
  });

  it('prints the address alone with --no-browser', async () => {
    const run = home.run('login --no-browser', {
      openBrowser: () => Promise.reject(new Error('must not be called')),
      streams: {
        out: { write: () => undefined },
        err: {
          write: (text: string) => {
            const [url] = /http\S+authorize\S+/.exec(text) ?? [];
            if (url) void home.visit(url);
          },
        },
      },
    });
    expect((await run).exitCode).toBe(0);
  });

  it('asks for what was granted before along with what is new', async () => {
    await home.run('login --scope links:read');
    await home.run('login --scope links:write');
    const asked = issuer.requests.filter(({ path }) => path === '/auth/authorize');
    expect(asked.map(({ search }) => search.get('scope'))).toEqual([
      'openid links:read',
      'openid links:read links:write',
    ]);
  });

  it('revokes the session that it replaces', async () => {
    await home.run('login');
    const { refreshToken } = (await stored()).sessions[issuer.baseUrl];
    await home.run('login');
    expect(issuer.revoked).toEqual([refreshToken]);
  });
});

describe('the callback', () => {
  it('with another state is ignored: nothing is exchanged, and the login goes on', async () => {
    home.browse = async (url) => {
      const redirectUri = new URL(url).searchParams.get('redirect_uri') as string;
      const forged = await fetch(`${redirectUri}?code=stolen&state=guessed&iss=${issuer.issuer}`);
      expect(forged.status).toBe(400);
      expect(issuer.count('/auth/token')).toBe(0);
      await home.visit(url);
    };
    const { exitCode } = await home.run('login');
    expect(exitCode).toBe(0);
    expect(issuer.count('/auth/token')).toBe(1);
  });

  it('of another issuer is refused before the exchange', async () => {
    issuer.redirectParameters = { iss: 'https://evil.example.test' };
    const { exitCode, err } = await home.run('login');
    expect(exitCode).toBe(4);
    expect(err).toContain('error: The sign-in was refused');
    expect(issuer.count('/auth/token')).toBe(0);
    expect(home.page).toContain('You are not signed in');
  });

  it('that says no is told in words', async () => {
    issuer.redirectParameters = { code: undefined, error: 'access_denied' };
    const { exitCode, err } = await home.run('login');
    expect(exitCode).toBe(4);
    expect(err).toContain('error: The sign-in was denied.');
    expect(await isNothingStored()).toBe(true);
  });

  it('answers only its own path, method and host', async () => {
    home.browse = async (url) => {
      const redirectUri = new URL(url).searchParams.get('redirect_uri') as string;
      expect((await fetch(new URL('/favicon.ico', redirectUri))).status).toBe(404);
      expect((await fetch(new URL('/done', redirectUri))).status).toBe(404);
      expect((await fetch(redirectUri, { method: 'POST' })).status).toBe(405);
      expect(await statusWithHost(redirectUri, 'evil.example.test')).toBe(421);
      await home.visit(url);
    };
    expect((await home.run('login')).exitCode).toBe(0);
  });

  it('shows a page that runs and loads nothing', async () => {
    let headers = new Headers();
    home.browse = async (url) => {
      const response = await fetch(url);
      headers = response.headers;
      home.page = await response.text();
    };
    await home.run('login');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(home.page).not.toMatch(/<script|src=|href=/);
  });

  it('shows a name without letting it become markup', async () => {
    issuer.cheat = ({ claims, sign }) => {
      claims['email'] = undefined;
      claims['name'] = '<img src=x onerror=alert(1)>';
      return sign();
    };
    await home.run('login');
    expect(home.page).not.toContain('<img');
  });

  it('comes to the next port when the first one is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    expect((await home.run('login', { callbackPorts: [port, 0] })).exitCode).toBe(0);
    const { exitCode, err } = await home.run('login', { callbackPorts: [port] });
    expect([exitCode, err]).toEqual([1, expect.stringContaining('all in use')]);
    taken.close();
  });

  it('that never comes leaves nothing behind after Ctrl-C', async () => {
    const interruption = new AbortController();
    home.browse = async () => interruption.abort(new Error('SIGINT'));
    const { exitCode, err } = await home.run('login', { signal: interruption.signal });
    expect([exitCode, err]).toEqual([130, expect.stringContaining('Given up.')]);
    expect(await isNothingStored()).toBe(true);
  });
});

describe('an id_token of a hostile issuer', () => {
  async function loginWith(cheat: (draft: IdTokenDraft) => Promise<string> | string) {
    issuer.cheat = cheat;
    const ran = await home.run('login');
    return { ...ran, isNothingStored: await isNothingStored() };
  }
  const claim =
    (claims: Record<string, unknown>) =>
    ({ claims: honest, sign }: IdTokenDraft) => {
      Object.assign(honest, claims);
      return sign();
    };
  const now = () => Math.floor(Date.now() / 1000);

  it('with an unknown kid: the keys are fetched once more, then it is refused', async () => {
    const stranger = await makeKey('key-9');
    const ran = await loginWith(({ header, claims }) =>
      signWith(stranger, { ...header, kid: 'key-9' }, claims),
    );
    expect(ran).toMatchObject({ exitCode: 4, isNothingStored: true });
    expect(ran.err).toContain('a key that the issuer does not publish');
    expect(issuer.count('/auth/jwks')).toBe(2);
  });

  it('with a kid that was rotated in meanwhile: the keys are fetched once more, then it passes', async () => {
    const next = await makeKey('key-2', 'RS256');
    const before = issuer.keys;
    issuer.keys = [next];
    let fetched = 0;
    issuer.cheat = ({ sign }) => {
      issuer.keys = before;
      return sign();
    };
    const ran = await home.run('login', {
      fetch: async (address, options) => {
        if (String(address).endsWith('/jwks') && ++fetched === 2) issuer.keys = [...before, next];
        return fetch(address, options);
      },
    });
    expect([ran.exitCode, fetched]).toEqual([0, 2]);
  });

  it.each<[string, (draft: IdTokenDraft) => Promise<string> | string]>([
    [
      'alg none, unsigned',
      ({ header, claims }) => assemble({ ...header, alg: 'none' }, claims, ''),
    ],
    [
      'alg none, with a signature',
      ({ header, claims }) => assemble({ ...header, alg: 'none' }, claims, 'x'),
    ],
    [
      'HS256 with the public key',
      ({ header, claims }) => {
        const unsigned = assemble({ ...header, alg: 'HS256' }, claims, 'x')
          .split('.')
          .slice(0, 2)
          .join('.');
        const secret = JSON.stringify(issuer.keys[0]?.publicJwk);
        return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
      },
    ],
    [
      'the signature of a stranger',
      async ({ header, claims }) => signWith(await makeKey('key-1'), header, claims),
    ],
    ['another issuer', claim({ iss: 'https://evil.example.test/auth' })],
    ['another client as its audience', claim({ aud: 'demo-web' })],
    ['the API as its audience', claim({ aud: 'https://go.example.test' })],
    ['several audiences', claim({ aud: ['demo-cli', 'demo-web'] })],
    ['expiry 61 s ago', (draft) => claim({ exp: now() - 61 })(draft)],
    ['no expiry', claim({ exp: undefined })],
    ['another nonce', claim({ nonce: 'another' })],
    ['no nonce', claim({ nonce: undefined })],
    ['the hash of another access token', claim({ at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' })],
    ['no subject', claim({ sub: undefined })],
    ['nothing in it', () => 'a.b.c'],
  ])('with %s is refused, and nothing is stored', async (_, cheat) => {
    const ran = await loginWith(cheat);
    expect(ran).toMatchObject({ exitCode: 4, isNothingStored: true });
    expect(ran.err).toMatch(/error: The sign-in was refused/);
    expect(home.page).toContain('You are not signed in');
  });

  it('expired for 59 s passes', async () => {
    expect((await loginWith((draft) => claim({ exp: now() - 59 })(draft))).exitCode).toBe(0);
  });

  it('of an earlier login is refused: its nonce is not this one’s', async () => {
    let earlier = '';
    issuer.cheat = async ({ claims, sign }) => {
      claims['at_hash'] = undefined;
      earlier ||= await sign();
      return earlier;
    };
    expect((await home.run('login')).exitCode).toBe(0);
    expect((await home.run('login')).exitCode).toBe(4);
  });

  it('that is missing is refused', async () => {
    issuer.cheat = () => undefined as unknown as string;
    expect(await isNothingStored()).toBe(true);
    expect((await home.run('login')).exitCode).toBe(4);
    expect(await isNothingStored()).toBe(true);
  });
});

describe('a server that is not what it should be', () => {
  it('is refused when its discovery document names another issuer', async () => {
    issuer.metadata = { issuer: 'https://elsewhere.example.test' };
    const { exitCode, err } = await home.run('login');
    expect(exitCode).toBe(1);
    expect(err).toContain('calls itself https://elsewhere.example.test');
    expect(err).toContain('--base-url');
  });

  it('is told from one that is not there', async () => {
    await issuer.stop();
    const { exitCode, err } = await home.run('login');
    expect([exitCode, err]).toEqual([5, expect.stringContaining('cannot be reached')]);
    issuer = await HostileIssuer.start();
  });

  it('is not spoken to over plain http unless it is on this machine', async () => {
    const { exitCode, err } = await home.run('login --base-url http://go.example.test');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('not encrypted')]);
  });

  it('does not get past a failing token endpoint', async () => {
    issuer.tokenFailure = {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'used' },
    };
    const { exitCode, err } = await home.run('login');
    expect([exitCode, err]).toEqual([4, expect.stringContaining('invalid_grant (used)')]);
  });
});

describe('login on another device', () => {
  it('shows a code and waits', async () => {
    const { exitCode, out, err } = await home.run('login --device');
    expect(exitCode).toBe(0);
    expect(err).toContain('WDJB-MJHT');
    expect(err).toContain(`${issuer.issuer}/device`);
    expect(out).toContain('demo@example.com');
    expect(issuer.count('/auth/token')).toBe(3);
  });

  it('checks the id_token all the same', async () => {
    issuer.cheat = ({ claims, sign }) => {
      claims['nonce'] = 'another';
      return sign();
    };
    expect((await home.run('login --device')).exitCode).toBe(4);
    expect(await isNothingStored()).toBe(true);
  });

  it('says so when it was denied', async () => {
    issuer.tokenFailure = { status: 400, body: { error: 'access_denied' } };
    const { exitCode, err } = await home.run('login --device');
    expect([exitCode, err]).toEqual([4, expect.stringContaining('The sign-in was denied.')]);
  });
});

/** `fetch` does not let the Host field be set. */
function statusWithHost(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject).end();
  });
}
