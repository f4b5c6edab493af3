import { registerClient } from '@gatepost/contracts';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ClientAdministration } from '../clients/client-administration.service.ts';
import { type Form, M2M, ProtocolClient } from '../testing/protocol-client.ts';
import {
  ISSUER,
  type ProtocolServer,
  PUBLIC_URL,
  startProtocolServer,
} from '../testing/protocol-server.ts';
import { ALICE } from '../testing/test-people.ts';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

describeWith(['postgres'], 'flows of clients', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: ProtocolServer;
  const web = () => new ProtocolClient([server.origin]);

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startProtocolServer(database.url);
  }, 30_000);
  afterAll(async () => {
    await server?.close();
    await database?.drop();
  });

  const register = (members: Record<string, unknown>) =>
    server.app
      .get(ClientAdministration)
      .register(registerClient.parse({ name: 'App', ...members }));

  async function proof(keys: KeyPair, htu: string, claims: Form = {}, htm = 'POST') {
    return new SignJWT({ htm, htu, jti: crypto.randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(keys.publicKey) })
      .setIssuedAt()
      .sign(keys.privateKey);
  }

  describe('DPoP', () => {
    let keys: KeyPair;
    beforeAll(async () => {
      keys = await generateKeyPair('ES256', { extractable: true });
    });

    it('binds access and refresh token of a public client to the key', async () => {
      const spa = new ProtocolClient(
        [server.origin],
        { id: 'demo-spa' },
        'http://localhost:5173/callback',
      );
      const granted = await spa.authorize();
      const form = {
        grant_type: 'authorization_code',
        code: granted.code,
        redirect_uri: spa.redirectUri,
        code_verifier: granted.verifier,
      };
      const { body } = await spa.token(form, { dpop: await proof(keys, `${ISSUER}/token`) });
      expect(body.token_type).toBe('DPoP');
      expect(decodeJwt(body.access_token)).toHaveProperty('cnf.jkt');
      const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
      expect((await spa.token(refresh)).body.error).toBe('invalid_grant');
      const stranger = await generateKeyPair('ES256', { extractable: true });
      const foreign = await proof(stranger, `${ISSUER}/token`);
      expect((await spa.token(refresh, { dpop: foreign })).body.error).toBe('invalid_grant');
      const own = await proof(keys, `${ISSUER}/token`);
      expect((await spa.token(refresh, { dpop: own })).status).toBe(200);
    });

    it('refuses a bound token at userinfo without its proof', async () => {
      const client = web();
      const granted = await client.authorize();
      const form = {
        grant_type: 'authorization_code',
        code: granted.code,
        redirect_uri: client.redirectUri,
        code_verifier: granted.verifier,
      };
      const { body } = await client.token(form, { dpop: await proof(keys, `${ISSUER}/token`) });
      const userinfo = (headers: Record<string, string>) =>
        fetch(`${server.origin}/auth/userinfo`, { headers });
      const bare = await userinfo({ authorization: `Bearer ${body.access_token}` });
      expect(bare.status).toBe(401);
      const digest = await crypto.subtle.digest('SHA-256', Buffer.from(body.access_token));
      const ath = Buffer.from(digest).toString('base64url');
      const dpop = await proof(keys, `${ISSUER}/userinfo`, { ath }, 'GET');
      const bound = await userinfo({ authorization: `DPoP ${body.access_token}`, dpop });
      expect(bound.status).toBe(200);
      const replayed = await userinfo({ authorization: `DPoP ${body.access_token}`, dpop });
      expect(replayed.status).toBe(401);
    });

    it('refuses a proof for another address, method or with none as algorithm', async () => {
      const machine = new ProtocolClient([server.origin], M2M);
      const form = { grant_type: 'client_credentials', scope: 'links:read' };
      for (const dpop of [
        await proof(keys, `${ISSUER}/userinfo`),
        await proof(keys, `${ISSUER}/token`, {}, 'GET'),
        'not.a.proof',
      ])
        expect((await machine.token(form, { dpop })).body.error).toBe('invalid_dpop_proof');
    });
  });

  describe('private_key_jwt', () => {
    let keys: KeyPair;
    let clientId: string;
    beforeAll(async () => {
      keys = await generateKeyPair('ES256', { extractable: true });
      ({ clientId } = await register({
        grantTypes: ['client_credentials'],
        authentication: 'private_key_jwt',
        apiScopes: ['links:read'],
        jwks: { keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'ES256', use: 'sig' }] },
      }));
    });

    const assertion = (claims: Record<string, unknown> = {}, key = keys.privateKey) =>
      new SignJWT({
        iss: clientId,
        sub: clientId,
        aud: ISSUER,
        jti: crypto.randomUUID(),
        exp: Math.floor(Date.now() / 1000) + 60,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuedAt()
        .sign(key);
    const ask = async (client_assertion: string) =>
      new ProtocolClient([server.origin], { id: clientId }).token({
        grant_type: 'client_credentials',
        scope: 'links:read',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion,
      });

    it('authenticates a client, once for each assertion', async () => {
      const signed = await assertion();
      expect((await ask(signed)).status).toBe(200);
      expect((await ask(signed)).body.error).toBe('invalid_client');
    });

    it('refuses another audience, an expired assertion and another key', async () => {
      const stranger = await generateKeyPair('ES256');
      for (const signed of [
        await assertion({ aud: 'https://other.example' }),
        await assertion({ exp: Math.floor(Date.now() / 1000) - 120 }),
        await assertion({ sub: 'demo-m2m' }),
        await assertion({}, stranger.privateKey),
      ])
        expect((await ask(signed)).body.error).toMatch(/^invalid_(client|request)$/);
    });
  });

  describe('the device flow', () => {
    const cli = () => new ProtocolClient([server.origin], { id: 'demo-cli' });
    const poll = (client: ProtocolClient, device_code: unknown) =>
      client.token({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(device_code),
      });

    it('gives tokens once a person has entered the code and consented', async () => {
      const client = cli();
      const { body } = await client.post('/device_authorization', {
        scope: 'openid email links:read',
      });
      expect(body).toMatchObject({ verification_uri: `${ISSUER}/device`, expires_in: 600 });
      expect(String(body['user_code'])).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
      expect((await poll(client, body['device_code'])).body.error).toBe('authorization_pending');
      const shown = await client.approveDevice(String(body['user_code']));
      expect(shown.text).toContain('Connected');
      const tokens = await poll(client, body['device_code']);
      expect(tokens.status).toBe(200);
      expect(decodeJwt(tokens.body.access_token)).toMatchObject({
        sub: ALICE,
        aud: [PUBLIC_URL, ISSUER],
      });
      expect(decodeJwt(tokens.body.id_token)).toMatchObject({
        sub: ALICE,
        email: 'alice@example.com',
      });
      expect((await poll(client, body['device_code'])).body.error).toBe('invalid_grant');
    });

    it('is declined by a person', async () => {
      const client = cli();
      const { body } = await client.post('/device_authorization', { scope: 'openid' });
      await client.approveDevice(String(body['user_code']), { abort: 'yes' });
      expect((await poll(client, body['device_code'])).body.error).toBe('access_denied');
    });

    it('does not tell a wrong code from a used one, and asks again', async () => {
      const { text, status } = await cli().approveDevice('BBBB-BBBB');
      expect(status).toBeLessThan(500);
      expect(text).toContain('op.deviceInputForm');
    });

    it('is not open to clients that are not registered for it', async () => {
      const { status } = await web().post('/device_authorization', { scope: 'openid' });
      expect(status).toBe(400);
    });

    it('keeps neither device code nor user code in the database', async () => {
      const client = cli();
      const { body } = await client.post('/device_authorization', { scope: 'openid' });
      const { rows } = await server.pool.query(
        `SELECT string_agg(r::text, ' ') AS dump FROM oidc_records r`,
      );
      const userCode = String(body['user_code']);
      for (const secret of [String(body['device_code']), userCode, userCode.replace('-', '')])
        expect(rows[0].dump).not.toContain(secret);
    });
  });

  describe('refresh tokens', () => {
    it('narrow the scope when asked, for that token alone', async () => {
      const client = web();
      const first = await client.signIn();
      const narrow = await client.refresh(first.body.refresh_token, { scope: 'links:read' });
      expect(decodeJwt(narrow.body.access_token)).toMatchObject({
        scope: 'links:read',
        aud: PUBLIC_URL,
      });
      expect(narrow.body.id_token).toBeUndefined();
      const wide = await client.refresh(narrow.body.refresh_token);
      expect(String(decodeJwt(wide.body.access_token)['scope'])).toContain('links:write');
    });

    it('refuse a wider scope than was granted', async () => {
      const client = web();
      const { body } = await client.signIn({ scope: 'openid links:read' });
      const wider = await client.refresh(body.refresh_token, { scope: 'openid links:write' });
      expect(wider.body.error).toBe('invalid_scope');
    });

    it('of offline_access outlive the sign-out, others end with it', async () => {
      const client = web();
      const online = await client.signIn();
      const offline = await client.signIn({ scope: 'openid offline_access links:read' });
      expect(offline.body.scope).toContain('offline_access');
      const stranger = web();
      const bound = await stranger.signIn();
      await signOut(stranger);
      expect((await stranger.refresh(bound.body.refresh_token)).body.error).toBe('invalid_grant');
      await signOut(client);
      expect((await client.refresh(offline.body.refresh_token)).status).toBe(200);
      expect((await client.refresh(online.body.refresh_token)).body.error).toBe('invalid_grant');
    });

    it('are not issued to a client without the grant', async () => {
      const redirectUri = 'https://app.example/cb';
      const client = await register({
        grantTypes: ['authorization_code'],
        redirectUris: [redirectUri],
      });
      const app = new ProtocolClient(
        [server.origin],
        { id: client.clientId, secret: client.clientSecret as string },
        redirectUri,
      );
      const { body } = await app.signIn({ scope: 'openid offline_access' });
      expect(body.refresh_token).toBeUndefined();
    });
  });

  async function signOut(client: ProtocolClient, query = ''): Promise<URL | undefined> {
    const page = await (await client.browser.fetch(`${ISSUER}/logout${query}`)).text();
    const xsrf = /name="xsrf" value="([^"]*)"/.exec(page)?.[1] as string;
    const response = await client.browser.fetch(`${ISSUER}/logout/confirm`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
    });
    const location = response.headers.get('location');
    return location ? new URL(location, ISSUER) : undefined;
  }

  describe('RP-initiated logout', () => {
    it('returns to a registered address with state, and ends the session', async () => {
      const client = web();
      const { body } = await client.signIn();
      const query = new URLSearchParams({
        id_token_hint: body.id_token,
        post_logout_redirect_uri: 'http://127.0.0.1:3000/',
        state: 'after',
      });
      const location = await signOut(client, `?${query}`);
      expect(location?.href).toBe('http://127.0.0.1:3000/?state=after');
      const { location: silent } = await client.browser.open(
        client.request({ prompt: 'none' }).url,
      );
      expect(silent?.searchParams.get('error')).toBe('login_required');
    });

    it('refuses an address that is not registered', async () => {
      const client = web();
      const { body } = await client.signIn();
      for (const uri of [
        'http://127.0.0.1:3000/x',
        'https://evil.example/',
        'http://127.0.0.1:3000/?a=1',
      ]) {
        const query = new URLSearchParams({
          id_token_hint: body.id_token,
          post_logout_redirect_uri: uri,
        });
        const response = await client.browser.fetch(`${ISSUER}/logout?${query}`);
        expect(response.status).toBe(400);
      }
    });
  });

  describe('parameters of OpenID Connect', () => {
    it('max_age puts auth_time into the id_token', async () => {
      const { body } = await web().signIn({ max_age: '3600' });
      expect(decodeJwt(body.id_token)['auth_time']).toEqual(expect.any(Number));
    });

    it('claims asks for single claims', async () => {
      const claims = JSON.stringify({
        id_token: { phone_number: null },
        userinfo: { address: null },
      });
      const { body } = await web().signIn({ scope: 'openid links:read', claims });
      expect(decodeJwt(body.id_token)['phone_number']).toBe('+1 555 0100');
      const userinfo = await fetch(`${server.origin}/auth/userinfo`, {
        headers: { authorization: `Bearer ${body.access_token}` },
      });
      expect(await userinfo.json()).toHaveProperty('address.formatted');
    });

    it('a claims parameter that is no object is refused, not failed on', async () => {
      for (const claims of [
        'x',
        '[]',
        '"x"',
        '{"id_token":[]}',
        '{"userinfo":{"email":1}}',
        '{}x',
      ]) {
        const client = web();
        const { location } = await client.browser.open(client.request({ claims }).url);
        expect(location?.searchParams.get('error')).toMatch(/invalid_request/);
      }
    });

    it('an RS256 client gets RS256 id_tokens', async () => {
      const redirectUri = 'https://rs.example/cb';
      const client = await register({
        redirectUris: [redirectUri],
        idTokenAlgorithm: 'RS256',
        apiScopes: ['links:read', 'links:write'],
      });
      const app = new ProtocolClient(
        [server.origin],
        { id: client.clientId, secret: client.clientSecret as string },
        redirectUri,
      );
      const { body } = await app.signIn();
      const header = JSON.parse(
        Buffer.from(body.id_token.split('.')[0] as string, 'base64url').toString(),
      );
      expect(header.alg).toBe('RS256');
    });
  });
});
