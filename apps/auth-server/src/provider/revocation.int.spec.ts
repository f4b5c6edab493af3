import { inflateSync } from 'node:zlib';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { hashSecret } from '../clients/client.ts';
import { ClientsRepository } from '../clients/clients.repository.ts';
import { M2M, ProtocolClient } from '../testing/protocol-client.ts';
import {
  ISSUER,
  type ProtocolServer,
  PUBLIC_URL,
  startProtocolServer,
} from '../testing/protocol-server.ts';
import { ALICE } from '../testing/test-people.ts';

describeWith(['postgres'], 'introspection, revocation and token status', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: ProtocolServer;
  let other: ProtocolServer;
  const web = () => new ProtocolClient([server.origin]);
  const machine = () => new ProtocolClient([server.origin], M2M);
  const resourceServer = () =>
    new ProtocolClient([server.origin], { id: 'api', secret: 'api-secret' });
  const machineToken = async () =>
    (await machine().token({ grant_type: 'client_credentials', scope: 'links:read' })).body
      .access_token;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startProtocolServer(database.url);
    other = await startProtocolServer(database.url);
    await server.app.get(ClientsRepository).save({
      clientId: 'api',
      metadata: { grant_types: [], response_types: [], redirect_uris: [] },
      apiScopes: [],
      introspects: [PUBLIC_URL],
      origin: 'operator',
      secretHashes: [hashSecret('api-secret')],
    });
  }, 30_000);
  afterAll(async () => {
    await server?.close();
    await other?.close();
    await database?.drop();
  });

  /** The bit of a token as a resource server reads it, from the process that did not issue it. */
  async function statusOf(token: string): Promise<number> {
    const { status } = decodeJwt(token) as {
      status: { status_list: { idx: number; uri: string } };
    };
    const { idx, uri } = status.status_list;
    const path = new URL(uri).pathname;
    const response = await fetch(`${other.origin}${path}`);
    expect(response.headers.get('content-type')).toBe('application/statuslist+jwt');
    const jwks = (await (await fetch(`${other.origin}/auth/jwks`)).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(await response.text(), createLocalJWKSet(jwks), {
      typ: 'statuslist+jwt',
    });
    expect(payload.sub).toBe(uri);
    const list = payload['status_list'] as { bits: number; lst: string };
    expect(list.bits).toBe(1);
    const bits = inflateSync(Buffer.from(list.lst, 'base64url'));
    expect(bits).toHaveLength(16_384);
    return ((bits[idx >> 3] as number) >> (idx & 7)) & 1;
  }

  describe('introspection', () => {
    it('tells a client of its own JWT access token', async () => {
      const token = await machineToken();
      const { status, body } = await machine().post('/introspect', { token });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        active: true,
        client_id: 'demo-m2m',
        sub: 'demo-m2m',
        scope: 'links:read',
        aud: PUBLIC_URL,
        iss: ISSUER,
        token_type: 'Bearer',
        jti: decodeJwt(token).jti,
      });
    });

    it('tells a client of its own opaque access token and refresh token', async () => {
      const client = web();
      const { body } = await client.signIn({ scope: 'openid' });
      const access = await client.post('/introspect', { token: body.access_token });
      expect(access.body).toMatchObject({ active: true, sub: ALICE, scope: 'openid' });
      const refresh = await client.post('/introspect', {
        token: body.refresh_token,
        token_type_hint: 'refresh_token',
      });
      expect(refresh.body).toMatchObject({ active: true, sub: ALICE });
    });

    it('tells the resource server of a token that is for it', async () => {
      const { body } = await resourceServer().post('/introspect', { token: await machineToken() });
      expect(body).toMatchObject({ active: true, client_id: 'demo-m2m' });
    });

    it('tells nobody else anything', async () => {
      const { body } = await web().post('/introspect', { token: await machineToken() });
      expect(body).toEqual({ active: false });
      const refresh = (await web().signIn()).body.refresh_token;
      expect((await resourceServer().post('/introspect', { token: refresh })).body).toEqual({
        active: false,
      });
    });

    it('calls an altered JWT inactive', async () => {
      const token = await machineToken();
      for (const altered of [
        `${token}x`,
        token.slice(0, -6),
        `${token.split('.').slice(0, 2).join('.')}.`,
        token.replaceAll('.', '~~'),
      ])
        expect((await machine().post('/introspect', { token: altered })).body).toEqual({
          active: false,
        });
    });

    it('does not take the jti of a token for the token', async () => {
      const { jti } = decodeJwt(await machineToken());
      const { body } = await machine().post('/introspect', { token: String(jti) });
      expect(body).toEqual({ active: false });
    });
  });

  describe('revocation', () => {
    it('ends a JWT access token and publishes it at once in every process', async () => {
      const token = await machineToken();
      const neighbour = await machineToken();
      expect(await statusOf(token)).toBe(0);
      const { status, headers } = await machine().post('/revoke', { token });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBeNull();
      expect(await statusOf(token)).toBe(1);
      expect(await statusOf(neighbour)).toBe(0);
      expect((await machine().post('/introspect', { token })).body).toEqual({ active: false });
    });

    it('of a refresh token ends its access tokens too', async () => {
      const client = web();
      const { body } = await client.signIn();
      await client.post('/revoke', { token: body.refresh_token });
      expect(await statusOf(body.access_token)).toBe(1);
      const userinfo = await fetch(`${server.origin}/auth/userinfo`, {
        headers: { authorization: `Bearer ${body.access_token}` },
      });
      expect(userinfo.status).toBe(401);
      expect((await client.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
    });

    it('does not make the person consent again', async () => {
      const client = web();
      const { body } = await client.signIn();
      await client.post('/revoke', { token: body.refresh_token });
      server.person.allows = false;
      try {
        expect((await client.authorize()).code).not.toBe('');
      } finally {
        server.person.allows = true;
      }
    });

    it('is refused to another client, and told nothing when that is a public one', async () => {
      const token = await machineToken();
      expect((await web().post('/revoke', { token })).body.error).toBe('invalid_request');
      const spa = new ProtocolClient([server.origin], { id: 'demo-spa' });
      expect((await spa.post('/revoke', { token })).status).toBe(200);
      expect(await statusOf(token)).toBe(0);
    });

    it('answers 200 for a token that does not exist', async () => {
      expect((await machine().post('/revoke', { token: 'unknown' })).status).toBe(200);
    });
  });

  describe('the status list', () => {
    const listUrl = async () => {
      const { status } = decodeJwt(await machineToken()) as {
        status: { status_list: { uri: string } };
      };
      return `${server.origin}${new URL(status.status_list.uri).pathname}`;
    };

    it('answers 304 to the ETag of an unchanged list and a new list after a revocation', async () => {
      const url = await listUrl();
      const first = await fetch(url);
      const etag = first.headers.get('etag') as string;
      const again = await fetch(url, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
      const token = await machineToken();
      await machine().post('/revoke', { token });
      const changed = await fetch(url, { headers: { 'if-none-match': etag } });
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(etag);
    });

    it('answers 404 for a list that does not exist', async () => {
      expect((await fetch(`${server.origin}/auth/status-lists/unknown-list`)).status).toBe(404);
      expect((await fetch(`${server.origin}/auth/status-lists/..%2f`)).status).toBe(404);
    });

    it('gives every token a place of its own', async () => {
      const tokens = await Promise.all(Array.from({ length: 80 }, machineToken));
      const places = tokens.map((token) => JSON.stringify(decodeJwt(token)['status']));
      expect(new Set(places).size).toBe(80);
    });
  });
});
