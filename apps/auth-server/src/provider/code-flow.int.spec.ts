import { createHash } from 'node:crypto';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose';
import { M2M, ProtocolClient } from '../testing/protocol-client.ts';
import {
  ISSUER,
  type ProtocolServer,
  PUBLIC_URL,
  startProtocolServer,
} from '../testing/protocol-server.ts';
import { ALICE } from '../testing/test-people.ts';

describeWith(['postgres'], 'the authorization code flow', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: ProtocolServer;
  const client = () => new ProtocolClient([server.origin]);

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startProtocolServer(database.url);
  });
  afterAll(async () => {
    await server?.close();
    await database?.drop();
  });

  it('ends at the redirect URI with code, state and iss', async () => {
    const { callback, params } = await client().authorize();
    expect(callback.get('state')).toBe(params['state']);
    expect(callback.get('iss')).toBe(ISSUER);
    expect(callback.get('code')).toMatch(/^[\w-]{43}$/);
  });

  it('issues an id_token with kid, iss, aud, sub, email, name, nonce and at_hash', async () => {
    const session = client();
    const granted = await session.authorize();
    const { status, body } = await session.exchange(granted);
    expect(status).toBe(200);
    const jwks = (await (await fetch(`${server.origin}/auth/jwks`)).json()) as JSONWebKeySet;
    const { payload, protectedHeader } = await jwtVerify(body.id_token, createLocalJWKSet(jwks), {
      issuer: ISSUER,
      audience: 'demo-web',
      algorithms: ['ES256'],
    });
    expect(protectedHeader.kid).toBeDefined();
    expect(payload).toMatchObject({
      sub: ALICE,
      email: 'alice@example.com',
      email_verified: false,
      name: 'Alice Example',
      nonce: granted.params['nonce'],
    });
    const half = createHash('sha256').update(body.access_token).digest().subarray(0, 16);
    expect(payload['at_hash']).toBe(half.toString('base64url'));
  });

  it('issues one access token for the API and for userinfo when openid was granted', async () => {
    const { body } = await client().signIn();
    const claims = decodeJwt(body.access_token);
    expect(decodeProtectedHeader(body.access_token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    expect(claims).toMatchObject({ sub: ALICE, client_id: 'demo-web', iss: ISSUER });
    expect(claims.aud).toEqual([PUBLIC_URL, ISSUER]);
    expect(String(claims['scope']).split(' ').sort()).toEqual([
      'email',
      'links:read',
      'links:write',
      'openid',
      'profile',
    ]);
    expect(body.scope).toBe(claims['scope']);
    const userinfo = await fetch(`${server.origin}/auth/userinfo`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(userinfo.status).toBe(200);
    expect(await userinfo.json()).toMatchObject({ sub: ALICE, email: 'alice@example.com' });
  });

  it('issues an opaque token, good for userinfo alone, without an API scope', async () => {
    const { body } = await client().signIn({ scope: 'openid email' });
    expect(body.access_token).toMatch(/^[\w-]{43}$/);
    // The library would leave these to userinfo.
    expect(decodeJwt(body.id_token)).toMatchObject({ sub: ALICE, email: 'alice@example.com' });
    const userinfo = await fetch(`${server.origin}/auth/userinfo`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(userinfo.status).toBe(200);
  });

  it('refuses a token for the API alone at userinfo with 401', async () => {
    const { body } = await client().signIn({ scope: 'links:read', nonce: undefined });
    expect(decodeJwt(body.access_token).aud).toBe(PUBLIC_URL);
    const userinfo = await fetch(`${server.origin}/auth/userinfo`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(userinfo.status).toBe(401);
  });

  it('gives a client its own token for an API scope', async () => {
    const machine = new ProtocolClient([server.origin], M2M);
    const { status, body } = await machine.token({
      grant_type: 'client_credentials',
      scope: 'links:read',
    });
    expect(status).toBe(200);
    expect(decodeJwt(body.access_token)).toMatchObject({
      sub: 'demo-m2m',
      client_id: 'demo-m2m',
      aud: PUBLIC_URL,
      scope: 'links:read',
    });
  });

  it('rotates refresh tokens and keeps nonce, sub and scope', async () => {
    const session = client();
    const first = await session.signIn();
    const second = await session.refresh(first.body.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
    expect(decodeJwt(second.body.id_token)).toMatchObject({
      sub: ALICE,
      nonce: decodeJwt(first.body.id_token)['nonce'],
    });
    expect(decodeJwt(second.body.access_token)['scope']).toBe(
      decodeJwt(first.body.access_token)['scope'],
    );
  });
});
