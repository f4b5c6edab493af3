import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { type Form, ProtocolClient } from '../testing/protocol-client.ts';
import { ISSUER, type ProtocolServer, startProtocolServer } from '../testing/protocol-server.ts';

describeWith(['postgres'], 'authorization requests', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: ProtocolServer;
  let lenient: ProtocolServer;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startProtocolServer(database.url);
    lenient = await startProtocolServer(database.url, { AUTH_STRICT: 'false' });
  }, 30_000);
  afterAll(async () => {
    await server?.close();
    await lenient?.close();
    await database?.drop();
  });

  async function ask(overrides: Form, origin = server.origin, id = 'demo-web') {
    const client = new ProtocolClient(
      [origin],
      { id },
      id === 'demo-cli' ? 'http://127.0.0.1:8400/callback' : undefined,
    );
    const { response, location } = await client.browser.open(client.request(overrides).url);
    return {
      status: response.status,
      error: location?.searchParams.get('error'),
      location,
      response,
    };
  }

  describe('sent back to the client as invalid_request', () => {
    const faulty: [string, Form][] = [
      ['without code_challenge', { code_challenge: undefined, code_challenge_method: undefined }],
      ['with code_challenge_method plain', { code_challenge_method: 'plain' }],
      ['without code_challenge_method', { code_challenge_method: undefined }],
      ['with a code_challenge that is too short', { code_challenge: 'short' }],
      ['without state', { state: undefined }],
      ['without nonce for openid', { nonce: undefined }],
    ];
    it.each(faulty)('%s', async (_title, overrides) => {
      const { error, location } = await ask(overrides);
      expect(error).toBe('invalid_request');
      expect(location?.searchParams.get('iss')).toBe(ISSUER);
      expect(location?.searchParams.has('code')).toBe(false);
    });

    it('for public and native clients alike', async () => {
      const overrides = { code_challenge: undefined, code_challenge_method: undefined };
      const spa = new ProtocolClient(
        [server.origin],
        { id: 'demo-spa' },
        'http://localhost:5173/callback',
      );
      const { location } = await spa.browser.open(spa.request(overrides).url);
      expect(location?.searchParams.get('error')).toBe('invalid_request');
      expect((await ask(overrides, server.origin, 'demo-cli')).error).toBe('invalid_request');
    });

    it('when pushed without state or nonce', async () => {
      const client = new ProtocolClient([server.origin]);
      for (const missing of ['state', 'nonce', 'code_challenge']) {
        const { params } = client.request({ [missing]: undefined });
        const { status, body } = await client.post('/par', params);
        expect([missing, status, body.error]).toEqual([missing, 400, 'invalid_request']);
      }
    });
  });

  it('needs no nonce without openid', async () => {
    const { location } = await ask({ scope: 'links:read', nonce: undefined });
    expect(location?.searchParams.has('code')).toBe(true);
  });

  describe('answered with a page and no redirect', () => {
    const registered = 'http://127.0.0.1:3000/callback';
    const faulty: [string, Form][] = [
      ['without redirect_uri', { redirect_uri: undefined }],
      ['with a query added to the redirect URI', { redirect_uri: `${registered}?x=1` }],
      ['with a slash added', { redirect_uri: `${registered}/` }],
      ['with another case', { redirect_uri: 'http://127.0.0.1:3000/Callback' }],
      ['with another port', { redirect_uri: 'http://127.0.0.1:3001/callback' }],
      ['with a fragment', { redirect_uri: `${registered}#x` }],
      ['with dots in the path', { redirect_uri: 'http://127.0.0.1:3000/a/../callback' }],
      ['with credentials', { redirect_uri: 'http://a@127.0.0.1:3000/callback' }],
      ['with another host', { redirect_uri: 'https://evil.example/callback' }],
      ['with javascript:', { redirect_uri: 'javascript:alert(1)' }],
      ['of an unknown client', { client_id: 'unknown' }],
      ['without client_id', { client_id: undefined }],
    ];
    it.each(faulty)('%s', async (_title, overrides) => {
      const { status, location, response } = await ask(overrides);
      expect([400, 401]).toContain(status);
      expect(location).toBeUndefined();
      expect(response.headers.get('content-type')).toContain('text/html');
    });

    it('without redirect_uri, although the client has but one and asks for no id_token', async () => {
      const { status, location } = await ask(
        { redirect_uri: undefined, scope: 'links:read', nonce: undefined },
        server.origin,
        'demo-spa',
      );
      expect(status).toBe(400);
      expect(location).toBeUndefined();
    });

    it('with any other port for a native client: the exception for loopback is off', async () => {
      const { status, location } = await ask(
        { redirect_uri: 'http://127.0.0.1:9999/callback' },
        server.origin,
        'demo-cli',
      );
      expect(status).toBe(400);
      expect(location).toBeUndefined();
    });
  });

  it.each(['token', 'id_token', 'code token', 'code id_token', 'none', ''])(
    'refuses response_type "%s"',
    async (response_type) => {
      const { error, location } = await ask({ response_type });
      const fragment = new URLSearchParams(location?.hash.slice(1));
      expect(error ?? fragment.get('error')).toMatch(/unsupported_response_type|invalid_request/);
      expect(location?.href).not.toMatch(/access_token=|id_token=[^&]/);
    },
  );

  it('refuses the password grant and the implicit grant', async () => {
    const client = new ProtocolClient([server.origin]);
    for (const grant_type of ['password', 'implicit']) {
      const form = { grant_type, username: 'a', password: 'b', scope: 'openid' };
      expect((await client.token(form)).body.error).toBe('unsupported_grant_type');
    }
  });

  it('refuses an API scope that the client may not have', async () => {
    await server.pool.query(`UPDATE clients SET api_scopes = '{links:read}' WHERE id = 'demo-spa'`);
    await server.pool.query(`UPDATE change_marks SET version = version + 1`);
    const spa = new ProtocolClient(
      [server.origin],
      { id: 'demo-spa' },
      'http://localhost:5173/callback',
    );
    const deadline = Date.now() + 5_000;
    let error: string | null | undefined;
    do {
      const { location } = await spa.browser.open(spa.request().url);
      error = location?.searchParams.get('error');
    } while (error !== 'invalid_scope' && Date.now() < deadline);
    expect(error).toBe('invalid_scope');
  });

  it('refuses a resource that is not known', async () => {
    expect((await ask({ resource: 'https://other.example' })).error).toBe('invalid_target');
  });

  it('reports what a person declined as access_denied, with state and iss', async () => {
    server.person.allows = false;
    try {
      const { error, location } = await ask({});
      expect(error).toBe('access_denied');
      expect(location?.searchParams.get('iss')).toBe(ISSUER);
      expect(location?.searchParams.get('state')).not.toBeNull();
    } finally {
      server.person.allows = true;
    }
  });

  it('answers prompt=none without a session with login_required', async () => {
    expect((await ask({ prompt: 'none' })).error).toBe('login_required');
  });

  describe('under AUTH_STRICT=false', () => {
    it('needs neither PKCE nor state nor nonce of a confidential client', async () => {
      const { location } = await ask(
        {
          state: undefined,
          nonce: undefined,
          code_challenge: undefined,
          code_challenge_method: undefined,
        },
        lenient.origin,
      );
      expect(location?.searchParams.has('code')).toBe(true);
    });

    it('still needs PKCE of a public client', async () => {
      const { error } = await ask(
        { code_challenge: undefined, code_challenge_method: undefined },
        lenient.origin,
        'demo-cli',
      );
      expect(error).toBe('invalid_request');
    });

    it('says so at the start', () => {
      expect(lenient.lines.some((line) => line.includes('AUTH_STRICT=false'))).toBe(true);
      expect(server.lines.some((line) => line.includes('AUTH_STRICT=false'))).toBe(false);
    });
  });

  describe('the code exchange', () => {
    const client = () => new ProtocolClient([server.origin]);

    it('refuses a verifier that does not match, and the right one still works', async () => {
      const session = client();
      const granted = await session.authorize();
      const wrong = await session.exchange({ ...granted, verifier: 'x'.repeat(43) });
      expect(wrong.body.error).toBe('invalid_grant');
      expect((await session.exchange(granted)).status).toBe(200);
    });

    it('refuses a missing or short verifier', async () => {
      const session = client();
      const granted = await session.authorize();
      for (const code_verifier of [undefined, 'short', 'x'.repeat(42), 'x'.repeat(129)]) {
        const { status } = await session.exchange(granted, { code_verifier });
        expect(status).toBe(400);
      }
    });

    it('refuses another redirect_uri than the request named, and none', async () => {
      const session = client();
      const granted = await session.authorize();
      for (const redirect_uri of ['http://localhost:3000/callback', undefined]) {
        const { status } = await session.exchange(granted, { redirect_uri });
        expect(status).toBe(400);
      }
    });

    it('refuses a code presented by another client', async () => {
      const session = client();
      const granted = await session.authorize();
      const thief = new ProtocolClient([server.origin], { id: 'demo-spa' });
      const { body } = await thief.exchange(granted, { redirect_uri: session.redirectUri });
      expect(body.error).toBe('invalid_grant');
    });

    it('refuses a code as a refresh token and a refresh token as a code', async () => {
      const session = client();
      const granted = await session.authorize();
      expect((await session.refresh(granted.code)).body.error).toBe('invalid_grant');
      const { body } = await session.exchange(granted);
      const swapped = await session.exchange({ ...granted, code: body.refresh_token });
      expect(swapped.body.error).toBe('invalid_grant');
      expect((await session.refresh(body.access_token)).body.error).toBe('invalid_grant');
    });

    it('refuses an id_token, a refresh token and a code at userinfo', async () => {
      const session = client();
      const granted = await session.authorize();
      const { body } = await session.exchange(granted);
      for (const token of [body.id_token, body.refresh_token, granted.code]) {
        const response = await fetch(`${server.origin}/auth/userinfo`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toContain('invalid_token');
      }
    });
  });
});
