import { request } from 'node:http';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { basic, ProtocolClient } from '../testing/protocol-client.ts';
import { ISSUER, type ProtocolServer, startProtocolServer } from '../testing/protocol-server.ts';

describeWith(['postgres'], 'protocol endpoints', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: ProtocolServer;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startProtocolServer(database.url);
  }, 30_000);
  afterAll(async () => {
    await server?.close();
    await database?.drop();
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.origin}${path}`, { headers, redirect: 'manual' });

  /** fetch does not let a Host be set. */
  function rawGet(path: string, headers: Record<string, string>): Promise<string> {
    return new Promise((resolve, reject) => {
      const sent = request(`${server.origin}${path}`, { headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject).end();
    });
  }

  describe('metadata', () => {
    it('is the same at all three well-known addresses', async () => {
      const documents = await Promise.all(
        [
          '/auth/.well-known/openid-configuration',
          '/.well-known/oauth-authorization-server/auth',
          '/.well-known/openid-configuration/auth',
        ].map(async (path) => (await get(path)).json()),
      );
      expect(documents[0]).toMatchObject({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        userinfo_endpoint: `${ISSUER}/userinfo`,
        jwks_uri: `${ISSUER}/jwks`,
        introspection_endpoint: `${ISSUER}/introspect`,
        revocation_endpoint: `${ISSUER}/revoke`,
        pushed_authorization_request_endpoint: `${ISSUER}/par`,
        device_authorization_endpoint: `${ISSUER}/device_authorization`,
        end_session_endpoint: `${ISSUER}/logout`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: ['ES256', 'RS256'],
        claim_types_supported: ['normal'],
        subject_types_supported: ['public'],
        authorization_response_iss_parameter_supported: true,
        backchannel_logout_supported: true,
      });
      expect(documents[1]).toEqual(documents[0]);
      expect(documents[2]).toEqual(documents[0]);
    });

    it('knows neither implicit nor password grants, and names every scope', async () => {
      const metadata = (await (await get('/auth/.well-known/openid-configuration')).json()) as {
        grant_types_supported: string[];
        scopes_supported: string[];
        registration_endpoint?: string;
      };
      expect(metadata.grant_types_supported.sort()).toEqual([
        'authorization_code',
        'client_credentials',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ]);
      expect(metadata.scopes_supported.sort()).toEqual(
        'address email links:read links:write offline_access openid phone profile'.split(' '),
      );
      expect(metadata.registration_endpoint).toBeUndefined();
    });

    it('is not poisoned by Host, X-Forwarded-Host or X-Forwarded-Proto', async () => {
      const path = '/auth/.well-known/openid-configuration';
      const honest = await (await get(path)).text();
      for (const headers of [
        { host: 'evil.example' },
        { 'x-forwarded-host': 'evil.example' },
        { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example:1' },
        { forwarded: 'host=evil.example' },
      ] as Record<string, string>[])
        expect(await rawGet(path, headers)).toBe(honest);
    });

    it('does not let a poisoned Host into a redirect either', async () => {
      const { url } = new ProtocolClient([server.origin]).request();
      const { pathname, search } = new URL(url);
      const poisoned = await get(pathname + search, { 'x-forwarded-host': 'evil.example' });
      expect(poisoned.headers.get('location')).toMatch(/^\/auth\/interaction\//);
    });
  });

  it('publishes its keys for 300 seconds, without private parts', async () => {
    const response = await get('/auth/jwks');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'ES256', 'RS256', 'RS256']);
    for (const key of keys)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'])
        expect(key).not.toHaveProperty(secret);
  });

  describe('errors of machine endpoints', () => {
    it.each(['/token', '/introspect', '/revoke', '/par', '/device_authorization'])(
      'are JSON at %s although the client accepts only HTML',
      async (path) => {
        const response = await fetch(`${server.origin}/auth${path}`, {
          method: 'POST',
          headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
          body: 'grant_type=x',
        });
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.status).toBeLessThan(500);
        expect(response.headers.get('content-type')).toContain('application/json');
        expect(await response.json()).toHaveProperty('error');
      },
    );

    it('challenge at userinfo', async () => {
      const response = await get('/auth/userinfo', { accept: 'text/html' });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(response.headers.get('content-type')).toContain('application/json');
    });

    it('answer 401 with a Basic challenge to a wrong secret', async () => {
      const response = await fetch(`${server.origin}/auth/token`, {
        method: 'POST',
        headers: {
          authorization: basic('demo-m2m', 'wrong'),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Basic');
      expect(await response.json()).toMatchObject({ error: 'invalid_client' });
    });

    it('never accept the stored hash of a secret, nor the stand-in', async () => {
      const { rows } = await server.pool.query(
        `SELECT encode(hash, 'hex') AS hex, encode(hash, 'base64') AS base64 FROM client_secrets WHERE client_id = 'demo-m2m'`,
      );
      const machine = (secret: string) =>
        new ProtocolClient([server.origin], { id: 'demo-m2m', secret }).token({
          grant_type: 'client_credentials',
        });
      for (const secret of [rows[0].hex, rows[0].base64, 'undefined', 'null'])
        expect((await machine(secret)).body.error).toBe('invalid_client');
    });

    it('answer 405 with Allow to a wrong method', async () => {
      const response = await get('/auth/token');
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST, OPTIONS');
      expect(await response.json()).toHaveProperty('error');
    });

    it('do not carry the reason, which is in the log', async () => {
      const client = new ProtocolClient([server.origin]);
      const { body } = await client.refresh('not-a-token');
      expect(body).toEqual({
        error: 'invalid_grant',
        error_description: 'grant request is invalid',
      });
      expect(server.lines.some((line) => line.includes('refresh token not found'))).toBe(true);
    });
  });

  it.each([
    '/auth/TOKEN',
    '/auth/token/',
    '/auth/%74oken',
    '/auth//token',
    '/token',
    '/auth/jwks/x',
  ])('knows no %s', async (path) => {
    const response = await fetch(`${server.origin}${path}`, { method: 'POST', body: '' });
    expect(response.status).toBe(404);
  });

  it('sets cookies for the pages under the issuer alone, http-only and not tied to https when the issuer is http', async () => {
    const { url } = new ProtocolClient([server.origin]).request();
    const { pathname, search } = new URL(url);
    const cookies = (await get(pathname + search)).headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; path=\/auth/);
      expect(cookie).toMatch(/; samesite=lax/i);
      expect(cookie).toMatch(/; httponly/i);
      expect(cookie).not.toMatch(/; secure/i);
    }
  });

  it('lets browser applications call from the origin they are redirected to, and from no other', async () => {
    const call = (origin: string) =>
      fetch(`${server.origin}/auth/token`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=refresh_token&client_id=demo-spa&refresh_token=x',
      });
    const own = await call('http://localhost:5173');
    expect(own.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    const foreign = await call('https://evil.example');
    expect(foreign.status).toBe(400);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('counts what it issues and what it refuses', async () => {
    const text = await server.metrics.metrics();
    expect(text).toMatch(
      /auth_protocol_errors_total\{[^}]*endpoint="token",error="invalid_client"/,
    );
    expect(text).toContain('auth_tokens_issued_total');
  });
});
