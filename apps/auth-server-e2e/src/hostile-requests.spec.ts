import { request } from 'node:http';
import { describeWith } from '@gatepost/test-services';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { AuthServers } from './auth-server-process.ts';
import { type Form, MACHINE, Protocol, toForm, WEB } from './protocol.ts';

const ODD = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u{1F600}',
  '\u202e',
  '%00',
  "' OR '1'='1",
  '"; DROP TABLE clients; --',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a template engine would take for its own
  '${7*7}',
  '__proto__',
  'constructor',
  '[object Object]',
  'null',
  'undefined',
  '-1',
  '1e309',
  'x'.repeat(10_000),
  '{"a":1}',
  '[]',
  '\r\nSet-Cookie: x=1',
];

describeWith(['postgres'], 'hundreds of hostile requests', () => {
  let servers: AuthServers;
  let protocol: Protocol;
  const answers: { what: string; status: number; isExpected: boolean }[] = [];

  beforeAll(async () => {
    servers = await AuthServers.start({ environment: { DYNAMIC_REGISTRATION: 'true' } });
    protocol = new Protocol(servers);
  }, 60_000);
  afterAll(() => servers?.stop());

  const isRefused = (status: number) => status >= 300 && status < 500;

  async function expectRefused(what: string, response: Promise<Response>, allowed: number[] = []) {
    const { status, headers } = await response;
    const location = headers.get('location') ?? '';
    const carriesCode = /[?&#]code=/.test(location);
    answers.push({
      what,
      status,
      isExpected: allowed.includes(status) || (isRefused(status) && !carriesCode),
    });
  }

  /** No answer is a fault of the server, and none grants anything. */
  function judge() {
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter(({ isExpected }) => !isExpected)).toEqual([]);
    answers.length = 0;
  }

  it('odd values in every parameter of the authorization endpoint', async () => {
    const { form } = protocol.request();
    const names = [
      ...Object.keys(form),
      'prompt',
      'max_age',
      'claims',
      'id_token_hint',
      'login_hint',
      'ui_locales',
      'acr_values',
      'resource',
      'request',
      'request_uri',
      'response_mode',
      'registration',
      'dpop_jkt',
    ];
    for (const name of names)
      for (const value of ODD) {
        const query = toForm({ ...form, [name]: value });
        await expectRefused(
          `authorize ${name}=${JSON.stringify(value.slice(0, 30))}`,
          protocol.get(`/auth/authorize?${query}`),
        );
      }
    judge();
  }, 120_000);

  it('the same parameter twice', async () => {
    const { form } = protocol.request();
    for (const name of Object.keys(form))
      await expectRefused(
        `twice ${name}`,
        protocol.get(`/auth/authorize?${toForm(form)}&${name}=x`),
      );
    judge();
  });

  it('odd values in every parameter of the machine endpoints', async () => {
    const bodies: Record<string, Form> = {
      '/token': {
        grant_type: 'authorization_code',
        code: 'x',
        redirect_uri: 'x',
        code_verifier: 'x',
        refresh_token: 'x',
        scope: 'x',
        resource: 'x',
        device_code: 'x',
        client_assertion: 'x',
        client_assertion_type: 'x',
      },
      '/introspect': { token: 'x', token_type_hint: 'x' },
      '/revoke': { token: 'x', token_type_hint: 'x' },
      '/par': protocol.request().form,
      '/device_authorization': { scope: 'openid', client_id: 'demo-cli' },
    };
    for (const [path, form] of Object.entries(bodies))
      for (const name of Object.keys(form))
        for (const value of ODD) {
          // Introspection and revocation answer 200 to a token they do not know; so does a push of parameters that are only odd.
          const allowed = path === '/token' || path === '/device_authorization' ? [] : [200, 201];
          await expectRefused(
            `${path} ${name}=${JSON.stringify(value.slice(0, 30))}`,
            protocol.post(path, { ...form, [name]: value }),
            allowed,
          );
        }
    judge();
  }, 120_000);

  it('grants that do not exist, and grants of others', async () => {
    const odd = [
      'password',
      'implicit',
      'none',
      'urn:ietf:params:oauth:grant-type:token-exchange',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      'urn:openid:params:grant-type:ciba',
      'client_credentials',
    ];
    for (const grant_type of odd)
      await expectRefused(
        `grant ${grant_type}`,
        protocol.post('/token', {
          grant_type,
          username: 'demo@example.com',
          password: 'correct-horse-battery',
          scope: 'openid',
        }),
      );
    for (const grant_type of [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ])
      await expectRefused(
        `machine ${grant_type}`,
        protocol.post(
          '/token',
          { grant_type, code: 'x', refresh_token: 'x', device_code: 'x' },
          MACHINE,
        ),
      );
    judge();
  });

  it('client authentication of every wrong kind', async () => {
    const form = { grant_type: 'client_credentials', scope: 'links:read' };
    const headers = (authorization: string) => ({ authorization });
    for (const authorization of [
      'Basic',
      'Basic ',
      'Basic !!!',
      `Basic ${Buffer.from('demo-m2m').toString('base64')}`,
      `Basic ${Buffer.from('demo-m2m:').toString('base64')}`,
      `Basic ${Buffer.from(':demo-m2m-secret').toString('base64')}`,
      `Basic ${Buffer.from('demo-m2m:\0').toString('base64')}`,
      `Basic ${Buffer.from('%zz:%zz').toString('base64')}`,
      'Bearer x',
      'Digest username="demo-m2m"',
      'DPoP x',
    ])
      await expectRefused(
        `authorization ${authorization}`,
        protocol.post('/token', form, undefined, headers(authorization)),
      );
    for (const secret of ODD.filter((value) => value !== ''))
      await expectRefused(
        'secret',
        protocol.post(
          '/token',
          { ...form, client_id: 'demo-m2m', client_secret: secret },
          undefined,
        ),
      );
    await expectRefused(
      'secret in the body for a Basic client',
      protocol.post(
        '/token',
        { ...form, client_id: 'demo-m2m', client_secret: 'demo-m2m-secret' },
        undefined,
      ),
    );
    await expectRefused(
      'both',
      protocol.post('/token', { ...form, client_secret: 'demo-m2m-secret' }, MACHINE),
    );
    judge();
  });

  it('tokens of every wrong kind at userinfo', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const claims = {
      sub: 'x',
      aud: [new URL(servers.issuer).origin, servers.issuer],
      scope: 'openid',
      client_id: 'demo-web',
    };
    const jwk = await exportJWK(publicKey);
    const forged = new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', jwk })
      .setIssuer(servers.issuer)
      .setIssuedAt()
      .setExpirationTime('5m');
    const jwks = (await (await protocol.get('/auth/jwks')).json()) as { keys: object[] };
    const asSecret = new TextEncoder().encode(JSON.stringify(jwks.keys[0]));
    const tokens = [
      'x',
      'a.b.c',
      `${'a'.repeat(9000)}`,
      new UnsecuredJWT(claims).setIssuer(servers.issuer).setExpirationTime('5m').encode(),
      await forged.sign(privateKey),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .setIssuer(servers.issuer)
        .setExpirationTime('5m')
        .sign(asSecret),
      await protocol.machineToken(),
      (await protocol.signIn()).id_token,
      (await protocol.signIn()).refresh_token,
    ];
    for (const [index, token] of tokens.entries()) {
      await expectRefused(
        `userinfo ${index}`,
        protocol.get('/auth/userinfo', { authorization: `Bearer ${token}` }),
      );
      await expectRefused(
        `userinfo dpop ${index}`,
        protocol.get('/auth/userinfo', {
          authorization: `DPoP ${token}`,
          dpop: token.slice(0, 500),
        }),
      );
      await expectRefused(
        `userinfo query ${index}`,
        protocol.get(`/auth/userinfo?access_token=${encodeURIComponent(token.slice(0, 4000))}`),
      );
    }
    judge();
  });

  it('bodies of every wrong kind', async () => {
    for (const path of [
      '/token',
      '/introspect',
      '/revoke',
      '/par',
      '/device_authorization',
      '/register',
    ])
      for (const [type, body] of [
        ['application/json', '{"grant_type":"client_credentials"}'],
        ['application/json', '{'],
        ['text/plain', 'x'],
        ['application/xml', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
        ['multipart/form-data; boundary=x', '--x--'],
        ['application/x-www-form-urlencoded', '%'],
        ['application/x-www-form-urlencoded', `a=${'b'.repeat(200_000)}`],
        [
          'application/x-www-form-urlencoded',
          Array.from({ length: 5000 }, (_, n) => `p${n}=1`).join('&'),
        ],
        ['application/x-www-form-urlencoded; charset=utf-7', 'grant_type=x'],
      ] as const) {
        const { signal } = new AbortController();
        await expectRefused(
          `${path} ${type} ${body.slice(0, 20)}`,
          fetch(`${servers.issuer}${path}`, {
            method: 'POST',
            headers: { 'content-type': type },
            body,
            signal,
          }),
        );
      }
    judge();
  }, 60_000);

  it('registrations of every wrong kind', async () => {
    for (const body of [
      'null',
      '[]',
      '"x"',
      '1',
      '{"redirect_uris":["\\u0000"]}',
      '{"client_name":"\\ud800"}',
      '{"jwks":{"keys":[{"kty":"oct"}]}}',
      '{"__proto__":{"a":1}}',
      '{"redirect_uris":[]}',
    ])
      for (const authorization of [undefined, 'Bearer x', 'Bearer '])
        await expectRefused(
          `register ${body}`,
          fetch(`${servers.issuer}/register`, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              ...(authorization ? { authorization } : {}),
            },
            body,
          }),
        );
    judge();
  });

  it('methods and paths of every wrong kind', async () => {
    const raw = (method: string, path: string, headers: Record<string, string> = {}) =>
      new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(servers.issuer);
        const sent = request({ hostname, port, method, path, headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', reject).end();
      });
    const found: string[] = [];
    for (const path of [
      '/auth/token',
      '/auth/authorize',
      '/auth/userinfo',
      '/auth/jwks',
      '/auth/register',
      '/auth/logout/confirm',
    ])
      for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
        const status = await raw(method, path);
        if (status < 400 || status >= 500) found.push(`${method} ${path} ${status}`);
      }
    for (const path of [
      '/auth/../auth/token',
      '/auth/./jwks',
      '/auth/%2e%2e/admin/clients',
      '/auth//jwks',
      '/auth/jwks;x',
      '/auth/jwks%00',
      '/auth/authorize/%00',
      '/auth/interaction/%00',
      '/auth/interaction/..%2f..',
      '/auth/status-lists/%00',
      '/auth/status-lists/../x',
      '/admin/clients',
      '/metrics',
      '/auth/.well-known/../token',
      `/auth/${'x'.repeat(8000)}`,
      '/auth/authorize?%',
      '/auth/authorize?client_id=%ff%fe',
      '/auth/authorize?a[b]=c&a[b]=d',
      '/auth/device/x',
      '/auth/authorize/unknown-uid',
    ]) {
      const status = await raw('GET', path);
      if (status < 300 || status >= 500) found.push(`GET ${path.slice(0, 40)} ${status}`);
    }
    for (const headers of [
      { cookie: 'gp_session=x; gp_session.sig=y' },
      { cookie: `gp_session=${'x'.repeat(5000)}` },
      { cookie: 'gp_interaction=\u00ff' },
      { cookie: '=;;==' },
      { 'x-forwarded-for': 'x'.repeat(1000) },
      { 'x-forwarded-proto': 'javascript' },
      { 'x-request-id': '<script>' },
      { dpop: 'x' },
      { 'if-none-match': '*' },
    ] as Record<string, string>[]) {
      const { form } = protocol.request();
      const status = await raw('GET', `/auth/authorize?${toForm(form)}`, headers);
      if (status !== 303) found.push(`${JSON.stringify(headers).slice(0, 40)} ${status}`);
    }
    expect(found).toEqual([]);
  });

  it('and still serves, with nothing but refusals in the log', async () => {
    expect((await protocol.exchange(await protocol.authorize())).status).toBe(200);
    expect(servers.log).not.toMatch(/"level":"(error|fatal)"/);
    expect(await servers.metrics()).not.toContain('error="server_error"');
    expect(servers.log).not.toContain('correct-horse-battery');
    expect(servers.log).not.toContain(WEB.secret);
  });
});
