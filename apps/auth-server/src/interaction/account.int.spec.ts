import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { textOf } from '../testing/page-browser.ts';
import { type PeopleServer, startPeopleServer } from '../testing/people-server.ts';
import { PASSWORD, Person } from '../testing/person.ts';
import { ProtocolClient } from '../testing/protocol-client.ts';

describeWith(['postgres'], 'the account page', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: PeopleServer;
  let origins: string[];
  let client: ProtocolClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startPeopleServer(database.url);
    origins = [server.origin];
    client = new ProtocolClient(origins);
  });
  afterAll(async () => {
    await server?.close();
    await database?.drop();
  });

  const isActive = async (token: string) =>
    (await client.post('/introspect', { token })).body['active'];
  const revokedBits = async () =>
    (await server.pool.query('SELECT count(*)::int AS n FROM status_revocations')).rows[0].n;

  it('sends nobody in particular to sign in, and on from there', async () => {
    const person = await Person.register(origins);
    const other = person.elsewhere();
    expect((await other.open('/auth/account')).path).toBe('/auth/account/sign-in');
    const shown = await other.send({ email: person.email, password: PASSWORD }, 'Sign in');
    expect(shown.path).toBe('/auth/account');
    expect((await other.open('/auth/account/sign-in')).path).toBe('/auth/account');
  });

  it('shows who one is, where one is signed in and what is allowed', async () => {
    const person = await Person.register(origins);
    await person.visit(client, { scope: 'openid email links:read' });
    const text = textOf((await person.open('/auth/account')).html);
    expect(text).toContain(`Spec Person ${person.email} not verified`);
    expect(text).toMatch(/this browser 10\.\d+\.\d+\.\d+ · since \d+ \w+ \d{4}, \d\d:\d\d UTC/);
    expect(text).toContain(
      'Demo Web Application Recognise you · See your email address · See your links',
    );
  });

  it('allows its forms to lead nowhere else', async () => {
    const person = await Person.register(origins);
    const { headers } = await person.open('/auth/account');
    expect(headers.get('content-security-policy')).toContain("form-action 'self'");
  });

  it('ends another session: its cookie and its tokens are worth nothing', async () => {
    const person = await Person.register(origins);
    const other = person.elsewhere();
    await other.signInToAccount();
    const { body } = await other.useApplication(client);
    await person.open('/auth/account');
    const shown = await person.send({}, 'End');
    expect(textOf(shown.html)).toContain('The session has ended.');
    expect((await other.open('/auth/account')).path).toBe('/auth/account/sign-in');
    expect(await isActive(body.access_token)).toBe(false);
    expect((await client.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await person.open('/auth/account')).path).toBe('/auth/account');
  });

  it('leaves applications connected that may stay so beyond a session', async () => {
    const person = await Person.register(origins);
    const other = person.elsewhere();
    await other.signInToAccount();
    const { body } = await other.useApplication(client, { scope: 'openid offline_access' });
    await person.open('/auth/account');
    await person.send({}, 'End');
    expect((await client.refresh(body.refresh_token)).status).toBe(200);
  });

  it('ends all other sessions at once', async () => {
    const person = await Person.register(origins);
    const others = [person.elsewhere(), person.elsewhere()];
    for (const other of others) await other.signInToAccount();
    await person.open('/auth/account');
    const shown = await person.send({}, 'End all other sessions');
    expect(textOf(shown.html)).toContain('All your other sessions have ended.');
    for (const other of others)
      expect((await other.open('/auth/account')).path).toBe('/auth/account/sign-in');
  });

  it('ends no session of somebody else', async () => {
    const victim = await Person.register(origins);
    const { rows } = await server.pool.query(
      `SELECT uid FROM oidc_records WHERE kind = 'Session' AND account_id = (SELECT id::text FROM accounts WHERE email = $1)`,
      [victim.email],
    );
    const attacker = await Person.register(origins);
    await attacker.open('/auth/account');
    const { action, fields } = attacker.form();
    await attacker.post(action, { ...fields, end_session: rows[0].uid });
    expect((await victim.open('/auth/account')).path).toBe('/auth/account');
  });

  it('removes the access of an application, its JWTs included, without a change of password', async () => {
    const person = await Person.register(origins);
    const { body } = await person.useApplication(client);
    expect(await isActive(body.access_token)).toBe(true);
    const before = await revokedBits();
    await person.open('/auth/account');
    const shown = await person.send({}, 'Remove');
    expect(textOf(shown.html)).toContain('The application has no access any more.');
    expect(textOf(shown.html)).toContain('None. An application shows up here');
    expect(await isActive(body.access_token)).toBe(false);
    // Where resource servers look that check signatures by themselves.
    expect(await revokedBits()).toBeGreaterThan(before);
    expect((await client.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
    const again = await person.open(client.request().url);
    expect(textOf(again.html)).toContain('Allow Demo Web Application?');
  });

  it('changes the profile that applications see', async () => {
    const person = await Person.register(origins);
    await person.open('/auth/account/profile');
    const refused = await person.send({ name: '', phone_number: '12' });
    expect(refused.status).toBe(422);
    expect(refused.html).toContain('value="12"');
    const shown = await person.send({
      name: 'Renamed Person',
      phone_number: '+1 555 010 0000',
      street_address: '1 Main Street',
      locality: 'Springfield',
    });
    expect(textOf(shown.html)).toContain('Your profile has been saved.');
    const { body } = await person.useApplication(client, {
      scope: 'openid profile phone address',
    });
    const userinfo = await fetch(`${server.origin}/auth/userinfo`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(await userinfo.json()).toMatchObject({
      name: 'Renamed Person',
      phone_number: '+1 555 010 0000',
      phone_number_verified: false,
      address: { formatted: '1 Main Street\nSpringfield', locality: 'Springfield' },
    });
  });

  describe('a changed password', () => {
    it('needs the current one, and ends the other sessions but not this one', async () => {
      const person = await Person.register(origins);
      const other = person.elsewhere();
      await other.signInToAccount();
      const { body } = await other.useApplication(client);
      await person.open('/auth/account/password');
      const wrong = await person.send({ password: 'wrong', new_password: 'quiet orange rivers' });
      expect(wrong.status).toBe(422);
      expect(textOf(wrong.html)).toContain('That is not your current password');
      const ids = person.browser.cookieValues();
      const shown = await person.send({ password: PASSWORD, new_password: 'quiet orange rivers' });
      expect(textOf(shown.html)).toContain('Your password has been changed.');
      expect((await other.open('/auth/account')).path).toBe('/auth/account/sign-in');
      expect(await isActive(body.access_token)).toBe(false);
      // The session goes on under a new id.
      expect(person.browser.cookieValues().filter((id) => ids.includes(id)).length).toBeLessThan(
        ids.length,
      );
      expect((await other.signInToAccount()).status).toBe(422);
      expect((await other.signInToAccount('quiet orange rivers')).path).toBe('/auth/account');
    });

    it('disconnects all applications when asked to', async () => {
      const person = await Person.register(origins);
      const { body } = await person.useApplication(client);
      await person.open('/auth/account/password');
      await person.send({
        password: PASSWORD,
        new_password: 'quiet orange rivers',
        disconnect: 'yes',
      });
      expect(await isActive(body.access_token)).toBe(false);
      expect(textOf((await person.open('/auth/account')).html)).toContain('None. An application');
    });

    it('is refused after five wrong tries like a sign-in, and counts with it', async () => {
      const person = await Person.register(origins);
      await person.open('/auth/account/password');
      const form = person.form();
      const statuses: number[] = [];
      for (let failure = 0; failure < 6; failure++) {
        const fields = { ...form.fields, password: 'wrong', new_password: 'quiet orange rivers' };
        statuses.push((await person.post(form.action, fields)).status);
      }
      expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
      expect(person.page?.headers.get('retry-after')).toMatch(/^[1-5]$/);
      await person.open('/auth/account/delete');
      expect((await person.send({ password: PASSWORD }, 'Delete it')).status).toBe(429);
    });
  });

  describe('a deleted account', () => {
    it('needs the password, and takes sessions, tokens and consents along', async () => {
      const person = await Person.register(origins);
      const other = person.elsewhere();
      await other.signInToAccount();
      const { body } = await other.useApplication(client);
      await person.open('/auth/account/delete');
      expect((await person.send({ password: 'wrong' }, 'Delete it')).status).toBe(422);
      const shown = await person.send({ password: PASSWORD }, 'Delete it');
      expect(textOf(shown.html)).toContain('Your account is deleted');
      expect(await isActive(body.access_token)).toBe(false);
      expect((await client.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
      for (const browser of [person, other])
        expect((await browser.open('/auth/account')).path).toBe('/auth/account/sign-in');
      expect((await other.signInToAccount()).status).toBe(422);
      const { rows } = await server.pool.query('SELECT * FROM accounts WHERE email = $1', [
        person.email,
      ]);
      expect(rows).toEqual([]);
    });

    it('frees its address for a new account, which is somebody else', async () => {
      const person = await Person.register(origins);
      const first = await person.useApplication(client);
      await person.open('/auth/account/delete');
      await person.send({ password: PASSWORD }, 'Delete it');
      const heir = new Person(origins, { email: person.email });
      await heir.open('/auth/account/register');
      await heir.send({ name: 'Heir', email: person.email, password: PASSWORD });
      const second = await heir.useApplication(client);
      const subjectOf = (token: string) =>
        JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub;
      expect(subjectOf(second.body.id_token)).not.toBe(subjectOf(first.body.id_token));
    });
  });

  it('refuses forms of another session', async () => {
    const person = await Person.register(origins);
    const other = await Person.register(origins);
    await other.open('/auth/account/delete');
    const { fields } = other.form();
    const shown = await person.post('/auth/account/delete', { ...fields, password: PASSWORD });
    expect(shown.status).toBe(400);
    expect((await person.open('/auth/account')).path).toBe('/auth/account');
  });

  it('lets its cookies travel encrypted only, where the issuer is https', async () => {
    const secure = await startPeopleServer(database.url, { PUBLIC_URL: 'https://id.example' });
    const page = await fetch(`${secure.origin}/auth/account/sign-in`);
    const [visit = ''] = page.headers.getSetCookie();
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(await page.text()) ?? [];
    const answer = await fetch(`${secure.origin}/auth/account/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: visit.split(';')[0] as string },
      body: new URLSearchParams({
        form_token: token,
        email: 'demo@example.com',
        password: 'correct-horse-battery',
      }),
    });
    expect(answer.status).toBe(303);
    const cookies = [visit, ...answer.headers.getSetCookie()];
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([
      'gp_visit',
      'gp_browser',
      'gp_session',
      'gp_session.sig',
    ]);
    for (const cookie of cookies) expect(cookie).toMatch(/; secure/i);
    for (const cookie of cookies) expect(cookie).toMatch(/; httponly/i);
    for (const cookie of cookies) expect(cookie).toMatch(/; samesite=lax/i);
    expect(page.headers.get('strict-transport-security')).toBe('max-age=31536000');
    await secure.close();
  });

  it('answers a wrong address below it with a page', async () => {
    const person = await Person.register(origins);
    const shown = await person.open('/auth/account/nowhere');
    expect(shown.status).toBe(404);
  });

  it('signs out by its link: a question, then an end', async () => {
    const person = await Person.register(origins);
    const ask = await person.open('/auth/logout');
    expect(textOf(ask.html)).toContain('Sign out?');
    const done = await person.send({}, 'Sign out');
    expect(textOf(done.html)).toContain('You are signed out');
    expect((await person.open('/auth/account')).path).toBe('/auth/account/sign-in');
  });
});
