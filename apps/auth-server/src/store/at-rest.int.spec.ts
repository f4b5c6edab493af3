import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { OidcProvider } from '../provider/oidc-provider.service.ts';
import { M2M, ProtocolClient } from '../testing/protocol-client.ts';
import { type ProtocolServer, startProtocolServer } from '../testing/protocol-server.ts';

describeWith(['postgres'], 'the database at rest', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: ProtocolServer;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startProtocolServer(database.url, {
      REFRESH_GRACE_S: '30',
      DYNAMIC_REGISTRATION: 'true',
    });
  }, 30_000);
  afterAll(async () => {
    await server?.close();
    await database?.drop();
  });

  /** Every row of every table, binary columns both as hex and as they are. */
  async function dump(): Promise<string> {
    const { rows: tables } = await server.pool.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await server.pool.query(`SELECT t.*, t::text AS as_text FROM ${name} t`);
      for (const row of rows)
        for (const value of Object.values(row))
          parts.push(
            Buffer.isBuffer(value)
              ? `${value.toString('latin1')} ${value.toString('base64url')} ${value.toString('base64')}`
              : JSON.stringify(value),
          );
    }
    return parts.join('\n');
  }

  it('holds nothing that could be presented: no token, code, cookie, secret or private key', async () => {
    const secrets: Record<string, string> = {
      clientSecret: 'demo-web-secret',
      machineSecret: M2M.secret,
    };
    const client = new ProtocolClient([server.origin]);

    // An interaction left open, with an id_token_hint among its parameters.
    const first = await client.signIn();
    const second = new ProtocolClient([server.origin]);
    const started = await second.browser.fetch(
      second.request({ id_token_hint: first.body.id_token }).url,
    );
    secrets['interaction'] = started.headers.get('location')?.split('/').at(-1) as string;

    const unused = await client.authorize();
    const granted = await client.authorize();
    const { body } = await client.exchange(granted);
    const rotated = await client.refresh(body.refresh_token);
    const opaque = await client.signIn({ scope: 'openid' });
    const pushed = await client.post('/par', client.request().params);
    const device = await new ProtocolClient([server.origin], { id: 'demo-cli' }).post(
      '/device_authorization',
      { scope: 'openid' },
    );
    const { InitialAccessToken } = server.app.get(OidcProvider).current;
    secrets['initialAccessToken'] = await new InitialAccessToken({ expiresIn: 60 }).save();
    Object.assign(secrets, {
      usedCode: granted.code,
      unusedCode: unused.code,
      accessToken: body.access_token,
      signature: body.access_token.split('.')[2],
      refreshToken: body.refresh_token,
      successor: rotated.body.refresh_token,
      successorAccessToken: rotated.body.access_token,
      opaqueToken: opaque.body.access_token,
      idToken: first.body.id_token,
      requestUri: String(pushed.body['request_uri']).split(':').at(-1),
      deviceCode: device.body['device_code'],
      userCode: String(device.body['user_code']).replace('-', ''),
      verifier: granted.verifier,
    });
    client.browser.cookieValues().forEach((value, index) => {
      secrets[`cookie ${index}`] = value;
    });
    for (const key of server.env.ENCRYPTION_KEYS) secrets['encryptionKey'] = key.toString('base64');

    const text = await dump();
    expect(text.length).toBeGreaterThan(10_000);
    for (const [name, secret] of Object.entries(secrets)) {
      expect([name, secret.length > 5]).toEqual([name, true]);
      expect([name, text.includes(secret)]).toEqual([name, false]);
    }
    expect(text).not.toMatch(/"d":\s*"/);
  });

  it('holds nothing of it in the log either', async () => {
    const client = new ProtocolClient([server.origin]);
    const granted = await client.authorize();
    const { body } = await client.exchange(granted);
    await client.exchange(granted);
    await client.refresh(body.refresh_token);
    await client.post('/introspect', { token: body.access_token });
    await fetch(`${server.origin}/auth/token?client_secret=planted-secret`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=authorization_code&code=planted-code&client_id=x&client_secret=planted-secret',
    });
    const log = server.lines.join('');
    for (const secret of [
      granted.code,
      granted.verifier,
      body.access_token,
      body.refresh_token,
      body.id_token,
      'demo-web-secret',
      'planted-secret',
      'planted-code',
      ...client.browser.cookieValues(),
    ])
      expect(log).not.toContain(secret);
  });
});
