import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestPlatform, type TestPlatform } from '@gatepost/platform';
import { describeWith } from '@gatepost/test-services';
import { FormBrowser, type Page } from './form-browser.ts';
import { Gatepost } from './gatepost.ts';
import { DEMO_USER } from './sign-in.ts';

/** The command line against the whole platform, through the one public door and the management doors. */
describeWith(['postgres'], 'the command line', () => {
  let running: TestPlatform;
  let gatepost: Gatepost;
  let configDir = '';

  beforeAll(async () => {
    running = await startTestPlatform();
    configDir = mkdtempSync(join(tmpdir(), 'gatepost-cli-e2e-'));
    const { ports } = running.settings;
    const door = (app: keyof typeof ports) => `http://127.0.0.1:${ports[app].managementPort}`;
    gatepost = new Gatepost({
      GATEPOST_URL: running.publicUrl,
      GATEPOST_CONFIG_DIR: join(configDir, 'gatepost'),
      GATEPOST_GATEWAY_MANAGEMENT_URL: door('gateway-limiter'),
      GATEPOST_AUTH_MANAGEMENT_URL: door('auth-server'),
      GATEPOST_SHORTENER_MANAGEMENT_URL: door('shortener'),
      MANAGEMENT_TOKEN: 'management-token-of-tests',
    });
  }, 60_000);
  afterAll(async () => {
    await running?.stop();
    rmSync(configDir, { recursive: true, force: true });
  }, 60_000);

  const credentials = () => join(configDir, 'gatepost', 'credentials.json');
  const storedSession = () =>
    JSON.parse(readFileSync(credentials(), 'utf8')).sessions[running.publicUrl];
  const askForLinks = (token: string) =>
    fetch(`${running.publicUrl}/links`, { headers: { authorization: `Bearer ${token}` } });

  /** Signs in and allows, page by page, until there is no form left or the browser is sent elsewhere. */
  async function goThroughPages(start: Page | URL, browser: FormBrowser): Promise<Page | URL> {
    let result = start;
    for (let pages = 0; pages < 6 && !(result instanceof URL); pages++) {
      if (!/<form\b[^>]*method="post"/i.test(result.html)) return result;
      const fields = result.html.includes('type="password"') ? DEMO_USER : {};
      result = await browser.submit(result, fields, /login|sign-in|confirm|consent|allow|device/);
    }
    return result;
  }

  async function signIn(...words: string[]): Promise<void> {
    const login = gatepost.start('login', '--no-browser', ...words);
    const url = await login.said(/^ {2}(http\S+)$/m);
    const browser = new FormBrowser(running.publicUrl);
    const callback = await goThroughPages(await browser.open(url), browser);
    if (!(callback instanceof URL)) throw new Error(`stuck at ${callback.url}\n${callback.html}`);
    const page = await fetch(callback);
    expect(await page.text()).toContain('You are signed in');
    const { exitCode, out, err } = await login.ended;
    expect([exitCode, out, err]).toEqual([
      0,
      expect.stringContaining(DEMO_USER.email),
      expect.not.stringContaining('error'),
    ]);
  }

  it('needs a sign-in to list links', async () => {
    expect(await gatepost.run('links')).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('gatepost login'),
    });
  });

  it('signs in through the pages and keeps the tokens to the user', async () => {
    await signIn();
    const { accessToken, refreshToken, scope } = storedSession();
    expect(scope.split(' ')).toEqual(
      expect.arrayContaining(['openid', 'links:read', 'links:write', 'offline_access']),
    );
    expect([accessToken, refreshToken]).toEqual([expect.any(String), expect.any(String)]);
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
  });

  it('knows who signed in', async () => {
    const { exitCode, out } = await gatepost.run('whoami', '--json');
    expect([exitCode, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ email: DEMO_USER.email, name: 'Demo User' }),
    ]);
  });

  it('makes a link, lists it and shows its clicks', async () => {
    const made = await gatepost.run('shorten', 'https://example.com/cli', '--alias', 'cliTest1');
    expect(made).toMatchObject({ exitCode: 0, out: `${running.publicUrl}/cliTest1\n` });
    expect((await gatepost.run('links')).out).toMatch(/^cliTest1 {2}active .*example\.com\/cli$/m);
    expect((await fetch(made.out.trim(), { redirect: 'manual' })).status).toBe(302);
    const deadline = Date.now() + 15_000;
    let total = 0;
    while (total === 0 && Date.now() < deadline)
      total = JSON.parse((await gatepost.run('stats', 'cliTest1', '--json')).out).total;
    expect(total).toBe(1);
  }, 30_000);

  it('says in words what the server has against a link', async () => {
    expect(
      await gatepost.run('shorten', 'https://example.com/', '--alias', 'cliTest1'),
    ).toMatchObject({
      exitCode: 4,
      out: '',
      err: expect.stringMatching(/^error: .*cliTest1.*taken/),
    });
    expect((await gatepost.run('shorten', 'http://127.0.0.1/')).exitCode).toBe(4);
  });

  it('renews its session when the access token has expired', async () => {
    const before = storedSession();
    const content = JSON.parse(readFileSync(credentials(), 'utf8'));
    content.sessions[running.publicUrl].expiresAt = 1;
    writeFileSync(credentials(), JSON.stringify(content));
    const ran = await Promise.all(Array.from({ length: 3 }, () => gatepost.run('links')));
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(storedSession().refreshToken).not.toBe(before.refreshToken);
  }, 20_000);

  it('signs out: the access token is refused within two seconds', async () => {
    const { accessToken } = storedSession();
    expect((await askForLinks(accessToken)).status).toBe(200);
    expect((await gatepost.run('logout')).exitCode).toBe(0);
    const endedAt = Date.now();
    let status = 200;
    while (status === 200 && Date.now() - endedAt < 5_000) {
      const answer = await askForLinks(accessToken);
      await answer.body?.cancel();
      status = answer.status;
    }
    expect(status).toBe(401);
    expect(Date.now() - endedAt).toBeLessThan(2_000);
    expect((await gatepost.run('whoami')).exitCode).toBe(3);
  });

  it('signs in with a code on another device', async () => {
    const login = gatepost.start('login', '--device');
    const url = await login.said(/^or open (\S+)$/m);
    const browser = new FormBrowser(running.publicUrl);
    await goThroughPages(await browser.open(url), browser);
    expect(await login.ended).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(DEMO_USER.email),
    });
    expect((await gatepost.run('links')).exitCode).toBe(0);
  }, 30_000);

  it('finds nothing broken', async () => {
    const { exitCode, out } = await gatepost.run('doctor', '--json');
    const found = JSON.parse(out) as { state: string }[];
    expect([
      exitCode,
      found.filter(({ state }) => state === 'fault' || state === 'warning'),
    ]).toEqual([0, []]);
  });

  describe('for operators', () => {
    it('registers a client, rotates its secret with an overlap, disables it', async () => {
      const made = await gatepost.run(
        ...['clients', 'create', '--id', 'cli-e2e', '--name', 'Made here', '--json'],
        ...['--grant', 'client_credentials', '--scope', 'links:read'],
      );
      const { clientSecret: first } = JSON.parse(made.out);
      const second = (await gatepost.run('clients', 'rotate-secret', 'cli-e2e')).out.trim();
      expect(await statusesOfToken('cli-e2e', [first, second, 'wrong'])).toEqual([200, 200, 401]);
      expect((await gatepost.run('clients')).out).toMatch(/^cli-e2e +Made here +confidential/m);
      expect((await gatepost.run('clients', 'disable', 'cli-e2e')).exitCode).toBe(0);
      // The other processes hear of it from the database, within a moment.
      const deadline = Date.now() + 5_000;
      let [status] = await statusesOfToken('cli-e2e', [second]);
      while (status === 200 && Date.now() < deadline)
        [status] = await statusesOfToken('cli-e2e', [second]);
      expect(status).toBe(401);
      expect((await gatepost.run('clients', 'remove', 'cli-e2e', '--yes')).exitCode).toBe(0);
    }, 30_000);

    it('registers a person, resets the password, disables them', async () => {
      const email = 'ada@example.com';
      const made = await gatepost.run('users', 'create', '--email', email, '--name', 'Ada Example');
      expect(made).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^\S{8,}\n$/) });
      const reset = await gatepost.run('users', 'reset-password', email);
      expect(reset.out).not.toBe(made.out);
      expect((await gatepost.run('users', 'disable', email)).exitCode).toBe(0);
      expect((await gatepost.run('users')).out).toMatch(
        /^ada@example\.com +Ada Example +disabled/m,
      );
    }, 30_000);

    it('rotates the signing keys, and what was signed before still works', async () => {
      const { accessToken } = storedSession();
      const before = JSON.parse((await gatepost.run('keys', '--json')).out);
      const after = JSON.parse((await gatepost.run('keys', 'rotate', '--json')).out);
      expect(after).not.toEqual(before);
      expect((await askForLinks(accessToken)).status).toBe(200);
      expect((await gatepost.run('links')).exitCode).toBe(0);
    }, 30_000);

    it('issues an API key that the gateway knows at once, and revokes it', async () => {
      const made = await gatepost.run('api-keys', 'create', 'cli-e2e', '--tier', 'paid');
      const limitWith = async () => {
        const headers = { 'x-api-key': made.out.trim() };
        const answer = await fetch(`${running.publicUrl}/zzzzzz7`, { headers });
        await answer.body?.cancel();
        return Number(answer.headers.get('x-ratelimit-limit'));
      };
      expect(await limitWith()).toBeGreaterThan(1_000);
      expect((await gatepost.run('api-keys')).out).toMatch(/^cli-e2e +paid +issued/m);
      expect((await gatepost.run('api-keys', 'revoke', 'cli-e2e')).exitCode).toBe(0);
      expect(await limitWith()).toBeLessThan(1_000);
    }, 20_000);

    it('shows and changes limits', async () => {
      expect((await gatepost.run('limits')).out).toMatch(/^paid +1000 \(burst 2000\)/m);
      const changed = await gatepost.run('limits', 'override', 'client:demo-m2m', '--tier', 'paid');
      expect([changed.exitCode, changed.err]).toEqual([0, '']);
      expect((await gatepost.run('limits', 'caller', 'client:demo-m2m')).out).toContain(
        'tier paid',
      );
      expect((await gatepost.run('limits', 'restore', 'client:demo-m2m')).exitCode).toBe(0);
    }, 20_000);
  });

  function statusesOfToken(clientId: string, secrets: string[]): Promise<number[]> {
    return Promise.all(
      secrets.map(async (secret) => {
        const answer = await fetch(`${running.publicUrl}/auth/token`, {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
          },
          body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'links:read' }),
        });
        await answer.body?.cancel();
        return answer.status;
      }),
    );
  }
});
