import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { decodeJwt } from 'jose';
import { textOf } from '../testing/page-browser.ts';
import { type PeopleServer, startPeopleServer } from '../testing/people-server.ts';
import { PASSWORD, Person } from '../testing/person.ts';
import { ProtocolClient } from '../testing/protocol-client.ts';

describeWith(['postgres'], 'signing in to an application', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let servers: PeopleServer[];
  let origins: string[];
  let client: ProtocolClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    // Two processes: nothing about an interaction may live in one of them.
    servers = [await startPeopleServer(database.url), await startPeopleServer(database.url)];
    origins = servers.map(({ origin }) => origin);
    client = new ProtocolClient(origins);
  });
  afterAll(async () => {
    for (const server of servers ?? []) await server.close();
    await database?.drop();
  });

  const asDemo = () => new Person(origins, { email: 'demo@example.com' });

  describe('the way through', () => {
    it('leads from sign-in and consent to a code, across processes', async () => {
      const person = asDemo();
      const signIn = await person.open(client.request().url);
      expect(signIn.status).toBe(200);
      expect(textOf(signIn.html)).toContain('Sign in to continue to Demo Web Application');
      const consent = await person.send(
        { email: 'demo@example.com', password: 'correct-horse-battery' },
        'Sign in',
      );
      expect(textOf(consent.html)).toContain('Allow Demo Web Application?');
      const back = await person.send({}, 'Allow');
      expect(back.status).toBe(303);
      expect(back.location?.origin).toBe('http://127.0.0.1:3000');
      expect(back.location?.searchParams.get('code')).toMatch(/.{20}/);
    });

    it('gives the application who signed in, how and when', async () => {
      const person = await Person.register(origins);
      const { body } = await person.useApplication(client, {
        acr_values: 'urn:gatepost:acr:password',
        max_age: '1000',
      });
      const claims = decodeJwt(body.id_token);
      expect(claims).toMatchObject({
        email: person.email,
        email_verified: false,
        name: 'Spec Person',
        acr: 'urn:gatepost:acr:password',
        amr: ['pwd'],
      });
      expect(claims['auth_time']).toEqual(expect.any(Number));
    });

    it('asks nothing of who is signed in and has allowed it', async () => {
      const person = await Person.register(origins);
      await person.visit(client);
      const { location } = await person.open(client.request().url);
      expect(location?.searchParams.has('code')).toBe(true);
    });

    it('goes on after registering', async () => {
      const person = new Person(origins);
      await person.open(client.request({ prompt: 'create' }).url);
      expect(textOf(person.page?.html ?? '')).toContain('Create your account');
      const consent = await person.send(
        { name: 'New Person', email: person.email, password: PASSWORD },
        'Create account',
      );
      expect(textOf(consent.html)).toContain(`New Person ${person.email}`);
    });
  });

  describe('a refused sign-in', () => {
    it('looks the same whether there is an account or not', async () => {
      const { email } = await Person.register(origins);
      const pages: string[] = [];
      for (const address of [email, 'nobody-at-all@example.com']) {
        const person = new Person(origins);
        await person.open(client.request().url);
        const shown = await person.send({ email: address, password: 'wrong' }, 'Sign in');
        expect(shown.status).toBe(422);
        pages.push(
          shown.html
            .replaceAll(address, 'ADDRESS')
            .replace(/form_token" value="[^"]*"/, '')
            .replace(/interaction\/[\w-]+/g, ''),
        );
      }
      expect(pages[0]).toBe(pages[1]);
      expect(textOf(pages[0] as string)).toContain('do not belong together');
    });

    it('takes whatever bytes are sent for a wrong password', async () => {
      const person = new Person(origins);
      for (const odd of [
        'a\0b@example.com',
        '\ud800@x.y',
        `${'x'.repeat(5000)}@x.y`,
        "' OR 1=1 --",
        '%00',
      ]) {
        await person.open(client.request().url);
        const shown = await person.send({ email: odd, password: `${odd}${odd}` }, 'Sign in');
        expect(shown.status).toBe(422);
      }
    });

    it('keeps the address and forgets the password', async () => {
      const person = asDemo();
      await person.open(client.request().url);
      const { html } = await person.send(
        { email: 'a"b@example.com', password: 'secret-typo' },
        'Sign in',
      );
      expect(html).toContain('value="a&quot;b@example.com"');
      expect(html).not.toContain('secret-typo');
    });

    it('names what was left empty', async () => {
      const person = asDemo();
      await person.open(client.request().url);
      const { status, html } = await person.send({}, 'Sign in');
      expect(status).toBe(422);
      expect(html).toContain('<a href="#email">Enter your email address</a>');
      expect(html).toContain('<a href="#password">Enter your password</a>');
    });

    it('is 429 with the seconds to wait after five, for known and unknown accounts', async () => {
      const { email } = await Person.register(origins);
      for (const address of [email, 'nobody-either@example.com']) {
        const person = new Person(origins);
        await person.open(client.request().url);
        const statuses: number[] = [];
        for (let failure = 0; failure < 6; failure++) {
          const shown = await person.send({ email: address, password: 'wrong' }, 'Sign in');
          statuses.push(shown.status);
        }
        expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
        const seconds = Number(person.page?.headers.get('retry-after'));
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(5);
        expect(textOf(person.page?.html ?? '')).toContain(
          `Too many attempts, try again in ${seconds} s`,
        );
      }
    });

    it('by strangers does not keep the owner out of a browser they used before', async () => {
      const owner = await Person.register(origins);
      await owner.open('/auth/logout');
      await owner.send({}, 'Sign out');
      const stranger = new Person(origins);
      await stranger.open(client.request().url);
      for (let failure = 0; failure < 6; failure++)
        await stranger.send({ email: owner.email, password: 'wrong' }, 'Sign in');
      expect(stranger.page?.status).toBe(429);
      expect((await owner.signInToAccount()).path).toBe('/auth/account');
    });
  });

  describe('forms', () => {
    it.each([
      ['without a token', { form_token: '' }, {}],
      ['with a made-up token', { form_token: 'x'.repeat(43) }, {}],
      ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
      ['from a sibling domain', {}, { 'sec-fetch-site': 'same-site' }],
    ])('are refused %s', async (_what, fields, headers) => {
      const person = asDemo();
      await person.open(client.request().url);
      const form = person.form('Sign in');
      const credentials = { email: 'demo@example.com', password: 'correct-horse-battery' };
      const sent = { ...form.fields, ...credentials, ...fields };
      const shown = await person.post(form.action, sent, headers as Record<string, string>);
      expect(shown.status).toBe(400);
      expect(textOf(shown.html)).toContain('Please try that again');
    });

    it('of one interaction are refused in another', async () => {
      const person = asDemo();
      await person.open(client.request().url);
      const { fields } = person.form('Sign in');
      await person.open(client.request().url);
      const { action } = person.form('Sign in');
      expect((await person.post(action, { ...fields, email: 'a@example.com' })).status).toBe(400);
    });

    it('of somebody else’s interaction are nobody’s: the cookie is missing', async () => {
      const person = asDemo();
      await person.open(client.request().url);
      const { action, fields } = person.form('Sign in');
      const victim = asDemo();
      const shown = await victim.post(action, fields);
      expect(shown.status).toBe(400);
      expect(textOf(shown.html)).toContain('This sign-in has expired');
    });

    it('that were answered cannot be answered again', async () => {
      const person = await Person.register(origins);
      await person.open(client.request().url);
      const form = person.form('Allow');
      await person.send({}, 'Allow');
      expect((await person.post(form.action, form.fields)).status).toBe(400);
    });
  });

  describe('sessions', () => {
    it('get a new id when somebody signs in', async () => {
      const person = await Person.register(origins);
      const other = person.elsewhere();
      await other.open('/auth/device');
      const planted = other.browser.cookieValues();
      await other.signInToAccount();
      expect(planted.length).toBeGreaterThan(0);
      const ids = other.browser.cookieValues().filter((value) => planted.includes(value));
      expect(ids).toEqual([]);
    });

    it('of an account that was disabled count for nobody', async () => {
      const person = await Person.register(origins);
      await person.visit(client);
      await servers[0]?.pool.query('UPDATE accounts SET disabled_at = now() WHERE email = $1', [
        person.email,
      ]);
      const shown = await person.open(client.request().url);
      expect(shown.location).toBeUndefined();
      expect(textOf(shown.html)).toContain('Sign in');
      expect((await person.open('/auth/account')).path).toBe('/auth/account/sign-in');
    });
  });

  describe('what an application may ask for', () => {
    it('shows the login hint as text', async () => {
      const person = new Person(origins);
      const hint = 'some"one<b>@example.com';
      const { html } = await person.open(client.request({ login_hint: hint }).url);
      expect(html).toContain('value="some&quot;one&lt;b&gt;@example.com"');
    });

    it('prompt=login asks for the password again, and names why', async () => {
      const person = await Person.register(origins);
      await person.visit(client);
      const shown = await person.open(client.request({ prompt: 'login' }).url);
      expect(textOf(shown.html)).toContain('Confirm it is you');
      expect(shown.html).toContain(`value="${person.email}"`);
      const back = await person.send({ password: PASSWORD }, 'Sign in');
      expect(back.location?.searchParams.has('code')).toBe(true);
    });

    it('max_age asks again when the sign-in is older', async () => {
      const person = await Person.register(origins);
      await person.visit(client);
      await servers[0]?.pool.query(
        `UPDATE oidc_records SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload->>'loginTs')::bigint - 100))
          WHERE kind = 'Session' AND account_id = (SELECT id::text FROM accounts WHERE email = $1)`,
        [person.email],
      );
      const shown = await person.open(client.request({ max_age: '50' }).url);
      expect(textOf(shown.html)).toContain('Confirm it is you');
    });

    it('prompt=none answers without a page', async () => {
      const { location } = await new Person(origins).open(client.request({ prompt: 'none' }).url);
      expect(location?.searchParams.get('error')).toBe('login_required');
    });

    it('prompt=select_account lets the person go on or take another account', async () => {
      const person = await Person.register(origins);
      await person.visit(client);
      const shown = await person.open(client.request({ prompt: 'select_account' }).url);
      expect(textOf(shown.html)).toContain('Choose an account');
      const back = await person.send({}, 'Continue as');
      expect(back.location?.searchParams.has('code')).toBe(true);
      const anew = await new Person(origins, { email: person.email }).visit(client, {
        prompt: 'select_account',
      });
      expect(anew.callback.has('code')).toBe(true);
    });

    it('an authentication context that no sign-in reaches is an error, not a loop', async () => {
      const claims = JSON.stringify({
        id_token: { acr: { essential: true, values: ['urn:example:hardware'] } },
      });
      const { location } = await new Person(origins).open(client.request({ claims }).url);
      expect(location?.searchParams.get('error')).toBe('unmet_authentication_requirements');
    });

    it('a certain person is named when another one is signed in', async () => {
      const expected = await Person.register(origins);
      const { body } = await expected.useApplication(client);
      const other = await Person.register(origins);
      const shown = await other.open(client.request({ id_token_hint: body.id_token }).url);
      expect(textOf(shown.html)).toContain('expects another account');
    });
  });

  it('can be turned back from, and the application hears so', async () => {
    const person = asDemo();
    const request = client.request();
    await person.open(request.url);
    const { location } = await person.send({}, 'Cancel');
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({
      error: 'access_denied',
      state: request.params['state'],
    });
  });

  it('lets another person in than the one who is signed in', async () => {
    const first = await Person.register(origins);
    const second = await Person.register(origins);
    await first.open(client.request().url);
    await first.open(`${first.page?.path}/sign-in`);
    const handover = await first.send({ email: second.email, password: PASSWORD }, 'Sign in');
    // The library ends the first session with a form that sends itself; without scripts it has a button.
    expect(handover.html).toContain('/auth/logout/confirm');
    const consent = await first.send();
    expect(textOf(consent.html)).toContain(second.email);
  });

  it('makes the owner of a temporary password choose another one', async () => {
    const person = await Person.register(origins);
    await servers[0]?.pool.query(
      'UPDATE accounts SET password_is_temporary = true WHERE email = $1',
      [person.email],
    );
    const other = person.elsewhere();
    await other.open(client.request().url);
    const shown = await other.send({ email: person.email, password: PASSWORD }, 'Sign in');
    expect(textOf(shown.html)).toContain('Choose a new password');
    await other.send({ password: PASSWORD, new_password: PASSWORD });
    expect(other.page?.status).toBe(422);
    await other.send({ password: 'wrong', new_password: 'quiet orange rivers' });
    expect(textOf(other.page?.html ?? '')).toContain('not the password you were given');
    const consent = await other.send({ password: PASSWORD, new_password: 'quiet orange rivers' });
    expect(textOf(consent.html)).toContain('Allow Demo Web Application?');
    expect((await person.elsewhere().signInToAccount('quiet orange rivers')).path).toBe(
      '/auth/account',
    );
  });

  it('offers no registration where operators create the accounts', async () => {
    const closed = await startPeopleServer(database.url, { REGISTRATION: 'closed' });
    const person = new Person([closed.origin]);
    const asked = await person.open(client.request({ prompt: 'create' }).url);
    expect(textOf(asked.html)).toContain('Sign in to continue');
    expect(asked.html).not.toContain('Create an account');
    const { action, fields } = person.form();
    expect((await person.post(action.replace('sign-in', 'register'), fields)).status).toBe(404);
    expect((await person.open('/auth/account/register')).status).toBe(404);
    await closed.close();
  });

  it('sends pages that are not kept, framed, told on or scripted', async () => {
    const person = asDemo();
    const { headers } = await person.open(client.request().url);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*script-src;.*frame-ancestors 'none'/,
    );
    expect(headers.get('content-language')).toBe('en');
  });

  it('logs no password, cookie, token, code or address that was typed', async () => {
    const person = await Person.register(origins);
    const { body } = await person.useApplication(client);
    await person.elsewhere().signInToAccount('mistyped-password-canary');
    const log = servers.flatMap(({ lines }) => lines).join('\n');
    const canaries = [
      PASSWORD,
      'mistyped-password-canary',
      'correct-horse-battery',
      person.email,
      body.access_token,
      body.refresh_token,
      ...person.browser.cookieValues().filter((value) => value.length > 8),
    ];
    for (const canary of canaries) expect(log).not.toContain(canary);
    expect(log).toContain('"event":"account.registered"');
    expect(log).toContain('"event":"sign-in.wrong"');
  });
});
