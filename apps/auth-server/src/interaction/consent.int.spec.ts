import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { textOf } from '../testing/page-browser.ts';
import { type PeopleServer, startPeopleServer } from '../testing/people-server.ts';
import { Person } from '../testing/person.ts';
import { ProtocolClient } from '../testing/protocol-client.ts';

describeWith(['postgres'], 'consent', () => {
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

  const listed = (html = '') =>
    [...html.matchAll(/<li><strong>([^<]*)<\/strong>/g)].map(([, title]) => title);

  it('names the application, the person and every permission in words', async () => {
    const person = await Person.register(origins);
    const { html } = await person.open(
      client.request({
        scope: 'openid profile email phone address offline_access links:read links:write',
      }).url,
    );
    expect(listed(html)).toEqual([
      'Recognise you',
      'See your profile',
      'See your email address',
      'See your phone number',
      'See your postal address',
      'See your links',
      'Create, change and delete links',
      'Stay connected while you are away',
    ]);
    expect(textOf(html)).toContain(`Spec Person ${person.email}`);
    expect(textOf(html)).toContain('Either way you go on to 127.0.0.1:3000');
  });

  it('asks later only for what is new', async () => {
    const person = await Person.register(origins);
    await person.visit(client, { scope: 'openid email' });
    const { html } = await person.open(client.request({ scope: 'openid email links:read' }).url);
    expect(listed(html)).toEqual(['See your links']);
    expect(textOf(html)).toContain('asks for more than before');
  });

  it('is remembered beyond the session and the browser it was given in', async () => {
    const person = await Person.register(origins);
    await person.visit(client, { scope: 'openid email' });
    const other = person.elsewhere();
    await other.signInToAccount();
    const same = await other.open(client.request({ scope: 'openid email' }).url);
    expect(same.location?.searchParams.has('code')).toBe(true);
    const more = await other.open(client.request({ scope: 'openid email profile' }).url);
    expect(listed(more.html)).toEqual(['See your profile']);
  });

  it('given twice at once in two browsers leaves each browser its own tokens', async () => {
    const person = await Person.register(origins);
    const other = person.elsewhere();
    await other.signInToAccount();
    const here = await person.useApplication(client);
    const there = await other.useApplication(client);
    await other.open('/auth/logout');
    await other.send({}, 'Sign out');
    const introspect = async (token: string) =>
      (await client.post('/introspect', { token })).body['active'];
    expect(await introspect(here.body.access_token)).toBe(true);
    expect(await introspect(there.body.access_token)).toBe(false);
  });

  it('is asked for anew by prompt=consent, with everything that is wanted', async () => {
    const person = await Person.register(origins);
    await person.visit(client, { scope: 'openid email' });
    const { html } = await person.open(
      client.request({ scope: 'openid email', prompt: 'consent' }).url,
    );
    expect(textOf(html)).toContain('Continue to Demo Web Application?');
    expect(listed(html)).toEqual(['Recognise you', 'See your email address']);
  });

  it('denied tells the application and is asked for again next time', async () => {
    const person = await Person.register(origins);
    await person.open(client.request().url);
    const { location } = await person.send({}, 'Deny');
    expect(location?.searchParams.get('error')).toBe('access_denied');
    expect(location?.searchParams.has('code')).toBe(false);
    expect(textOf((await person.open(client.request().url)).html)).toContain('Allow Demo Web');
  });

  it('covers single facts that were asked for by name', async () => {
    const person = await Person.register(origins);
    const claims = JSON.stringify({ userinfo: { picture: null, name: { essential: true } } });
    const { html } = await person.open(client.request({ scope: 'openid', claims }).url);
    expect(listed(html)).toEqual(['Recognise you', 'See your picture and your name']);
    const back = await person.send({}, 'Allow');
    expect(back.location?.searchParams.has('code')).toBe(true);
  });

  it('of a native application is asked for every time (RFC 8252 8.6)', async () => {
    const person = await Person.register(origins);
    const native = new ProtocolClient(
      origins,
      { id: 'demo-cli' },
      'http://127.0.0.1:8400/callback',
    );
    await person.visit(native, { scope: 'openid' });
    const { html } = await person.open(native.request({ scope: 'openid' }).url);
    expect(textOf(html)).toContain('Continue to Demo Command Line?');
  });

  it('is refused when the account went away under the page', async () => {
    const person = await Person.register(origins);
    await person.open(client.request().url);
    await server.pool.query('DELETE FROM accounts WHERE email = $1', [person.email]);
    const shown = await person.send({}, 'Allow');
    expect(shown.status).toBe(400);
    expect(shown.location).toBeUndefined();
  });

  describe('on a device', () => {
    const native = () => new ProtocolClient(origins, { id: 'demo-cli' });

    async function startDevice(): Promise<{ device_code: string; user_code: string }> {
      const { body } = await native().post('/device_authorization', {
        scope: 'openid email links:read',
      });
      return body as unknown as { device_code: string; user_code: string };
    }

    const poll = (deviceCode: string) =>
      native().token({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: deviceCode,
      });

    it('is given after the code was entered and compared', async () => {
      const person = await Person.register(origins);
      const device = await startDevice();
      await person.open('/auth/device');
      await person.send({ user_code: device.user_code.toLowerCase().replace('-', ' ') });
      expect(textOf(person.page?.html ?? '')).toContain(device.user_code);
      expect(textOf(person.page?.html ?? '')).toContain('Demo Command Line wants to be connected');
      await person.send({}, 'The code matches');
      expect(textOf(person.page?.html ?? '')).toContain('on your device');
      const done = await person.send({}, 'Allow');
      expect(textOf(done.html)).toContain('Your device is connected');
      expect((await poll(device.device_code)).body).toMatchObject({
        access_token: expect.any(String),
      });
    });

    it('starts from a link with a page of ours that sends nothing by itself', async () => {
      const person = await Person.register(origins);
      const { user_code } = await startDevice();
      const shown = await person.open(`/auth/device?user_code=${user_code}`);
      expect(shown.html).not.toContain('<script');
      expect(shown.html).toContain(`value="${user_code}"`);
      await person.send({}, 'Continue');
      expect(textOf(person.page?.html ?? '')).toContain('Demo Command Line wants to be connected');
    });

    it('is not moved by what a link holds', async () => {
      const person = await Person.register(origins);
      const { status, html } = await person.open(
        '/auth/device?user_code=%22%3E%3Cimg%20src%3Dx%3E&user_code=twice',
      );
      expect(status).toBeLessThan(500);
      expect(html).not.toContain('<img');
      const long = await person.open(`/auth/device?user_code=${'B'.repeat(500)}%22%3E`);
      expect(long.status).toBe(200);
      expect(long.html).not.toContain('B'.repeat(21));
    });

    it('is not given when the person cancels or denies', async () => {
      const person = await Person.register(origins);
      for (const button of ['Cancel', 'Deny']) {
        const device = await startDevice();
        await person.open('/auth/device');
        await person.send({ user_code: device.user_code });
        if (button === 'Deny') await person.send({}, 'The code matches');
        const shown = await person.send({}, button);
        expect(textOf(shown.html)).toContain('You declined the request');
        expect((await poll(device.device_code)).body.error).toBe('access_denied');
      }
    });

    it('asks again for a code that is not right, on a page that says so', async () => {
      const person = await Person.register(origins);
      await person.open('/auth/device');
      const { html } = await person.send({ user_code: 'WRNG-CODE' });
      expect(html).toContain('role="alert"');
      expect(textOf(html)).toContain('not right');
    });
  });
});
