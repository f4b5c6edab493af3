import { createServer, type Server } from 'node:http';
import { registerClient } from '@gatepost/contracts';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { ClientAdministration } from '../clients/client-administration.service.ts';
import { ProtocolClient } from '../testing/protocol-client.ts';
import { ISSUER, type ProtocolServer, startProtocolServer } from '../testing/protocol-server.ts';
import { ALICE } from '../testing/test-people.ts';
import { until } from '../testing/until.ts';
import { OidcProvider } from './oidc-provider.service.ts';

describeWith(['postgres'], 'settings of the server', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  const servers: ProtocolServer[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  }, 30_000);
  afterAll(async () => {
    for (const server of servers) await server.close();
    await database?.drop();
  });

  async function start(settings: Record<string, string>): Promise<ProtocolServer> {
    const server = await startProtocolServer(database.url, settings);
    servers.push(server);
    return server;
  }

  describe('REFRESH_GRACE_S', () => {
    it('answers a rotated token again with the same successor, in parallel and across processes', async () => {
      const [one, two] = [
        await start({ REFRESH_GRACE_S: '10' }),
        await start({ REFRESH_GRACE_S: '10' }),
      ];
      const client = new ProtocolClient([one.origin, two.origin]);
      const { body } = await client.signIn();
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => client.refresh(body.refresh_token)),
      );
      answers.push(await client.refresh(body.refresh_token));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map((answer) => answer.body.refresh_token)).size).toBe(1);
      expect(new Set(answers.map((answer) => answer.body.access_token)).size).toBe(1);
      const successor = answers[0]?.body.refresh_token as string;
      expect((await client.refresh(successor)).status).toBe(200);
    });

    it('is no way around client authentication', async () => {
      const server = await start({ REFRESH_GRACE_S: '10' });
      const client = new ProtocolClient([server.origin]);
      const { body } = await client.signIn();
      await client.refresh(body.refresh_token);
      const thief = new ProtocolClient([server.origin], { id: 'demo-spa' });
      expect((await thief.refresh(body.refresh_token)).status).toBe(400);
      const wrong = new ProtocolClient([server.origin], { id: 'demo-web', secret: 'wrong' });
      expect((await wrong.refresh(body.refresh_token)).status).toBe(401);
    });

    it('ends the family after the window', async () => {
      const server = await start({ REFRESH_GRACE_S: '1' });
      const client = new ProtocolClient([server.origin]);
      const { body } = await client.signIn();
      const second = await client.refresh(body.refresh_token);
      await server.pool.query(
        `UPDATE oidc_records SET consumed_at = consumed_at - interval '2 seconds' WHERE consumed_at IS NOT NULL`,
      );
      expect((await client.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
      expect((await client.refresh(second.body.refresh_token)).body.error).toBe('invalid_grant');
    });

    it('keeps no token readable in the database', async () => {
      const server = await start({ REFRESH_GRACE_S: '10' });
      const client = new ProtocolClient([server.origin]);
      const { body } = await client.signIn();
      const second = await client.refresh(body.refresh_token);
      const { rows } = await server.pool.query(
        `SELECT string_agg(r::text, ' ') AS dump FROM oidc_records r`,
      );
      for (const token of [second.body.refresh_token, second.body.access_token, body.refresh_token])
        expect(rows[0].dump).not.toContain(token);
    });
  });

  describe('lifetimes', () => {
    it('end a refresh token that is idle, and a family that is old', async () => {
      const server = await start({ REFRESH_IDLE_TTL_S: '100', REFRESH_ABSOLUTE_TTL_S: '150' });
      const client = new ProtocolClient([server.origin]);
      const { body } = await client.signIn();
      const age = async (seconds: number) =>
        server.pool.query(
          `UPDATE oidc_records SET payload = payload || jsonb_build_object('exp', (payload->>'exp')::bigint - $1::bigint, 'iat', (payload->>'iat')::bigint - $1::bigint, 'iiat', (payload->>'iiat')::bigint - $1::bigint)
           WHERE kind = 'RefreshToken'`,
          [seconds],
        );
      await age(60);
      const second = await client.refresh(body.refresh_token);
      expect(second.status).toBe(200);
      const { body: told } = await client.post('/introspect', { token: second.body.refresh_token });
      const left = Number(told['exp']) - Math.floor(Date.now() / 1000);
      // 150 s of the family, less the 60 that passed: the idle lifetime of 100 s would be longer.
      expect(left).toBeGreaterThan(80);
      expect(left).toBeLessThanOrEqual(90);
      await age(100);
      expect((await client.refresh(second.body.refresh_token)).body.error).toBe('invalid_grant');
    });

    it('are those of the settings', async () => {
      const server = await start({ ACCESS_TOKEN_TTL_S: '120', ID_TOKEN_TTL_S: '240' });
      const { body } = await new ProtocolClient([server.origin]).signIn();
      expect(body.expires_in).toBe(120);
      const access = decodeJwt(body.access_token);
      const id = decodeJwt(body.id_token);
      expect(Number(access.exp) - Number(access.iat)).toBe(120);
      expect(Number(id.exp) - Number(id.iat)).toBe(240);
    });
  });

  describe('DYNAMIC_REGISTRATION', () => {
    const registration = {
      client_name: 'Dynamic',
      redirect_uris: ['https://dynamic.example/cb'],
      grant_types: ['authorization_code'],
    };
    const post = (server: ProtocolServer, body: unknown, token?: string) =>
      fetch(`${server.origin}/auth/register`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
        body: JSON.stringify(body),
      });

    it('is off unless it is asked for', async () => {
      const server = await start({});
      expect((await post(server, registration)).status).toBe(404);
    });

    it('registers a client for the holder of an initial access token, whose secret is kept as a hash', async () => {
      const server = await start({ DYNAMIC_REGISTRATION: 'true' });
      expect((await post(server, registration)).status).toBe(401);
      expect((await post(server, registration, 'wrong')).status).toBe(401);
      const { InitialAccessToken } = server.app.get(OidcProvider).current;
      const token = await new InitialAccessToken({ expiresIn: 60 }).save();
      const response = await post(server, registration, token);
      expect(response.status).toBe(201);
      const client = (await response.json()) as { client_id: string; client_secret: string };
      const app = new ProtocolClient(
        [server.origin],
        { id: client.client_id, secret: client.client_secret },
        'https://dynamic.example/cb',
      );
      const { status, body } = await app.signIn({ scope: 'openid' });
      expect(status).toBe(200);
      // The library's own default is RS256.
      expect(decodeProtectedHeader(body.id_token).alg).toBe('ES256');
      const { rows } = await server.pool.query(
        `SELECT string_agg(c::text, ' ') AS dump FROM clients c`,
      );
      expect(rows[0].dump).not.toContain(client.client_secret);
    });

    it('refuses what an operator could not register either', async () => {
      const server = await start({ DYNAMIC_REGISTRATION: 'true' });
      const { InitialAccessToken } = server.app.get(OidcProvider).current;
      for (const members of [
        { redirect_uris: ['http://plain.example/cb'] },
        { redirect_uris: ['https://dynamic.example/cb#x'] },
        { grant_types: ['password'] },
        { grant_types: ['implicit'] },
        { response_types: ['token'] },
        { redirect_uris: [] },
        { redirect_uris: 'x' },
        { token_endpoint_auth_method: 'client_secret_jwt' },
      ]) {
        const token = await new InitialAccessToken({ expiresIn: 60 }).save();
        const response = await post(server, { ...registration, ...members }, token);
        expect([JSON.stringify(members), response.status]).toEqual([JSON.stringify(members), 400]);
      }
    });
  });

  describe('BACKCHANNEL_HOSTS', () => {
    let receiver: Server;
    let port: number;
    const received: string[] = [];
    beforeAll(async () => {
      receiver = createServer((request, response) => {
        request.setEncoding('utf8');
        let text = '';
        request.on('data', (chunk) => {
          text += chunk;
        });
        request.on('end', () => {
          received.push(new URLSearchParams(text).get('logout_token') ?? '');
          response.end();
        });
      });
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      port = (receiver.address() as { port: number }).port;
    });
    afterAll(() => {
      receiver.closeAllConnections();
      receiver.close();
    });

    async function signOutWith(settings: Record<string, string>) {
      const server = await start(settings);
      const redirectUri = 'https://notified.example/cb';
      const client = await server.app.get(ClientAdministration).register(
        registerClient.parse({
          name: 'Notified',
          redirectUris: [redirectUri],
          backchannelLogoutUri: `http://127.0.0.1:${port}/logout`,
          backchannelLogoutSessionRequired: true,
        }),
      );
      const app = new ProtocolClient(
        [server.origin],
        { id: client.clientId, secret: client.clientSecret as string },
        redirectUri,
      );
      const { body } = await app.signIn({ scope: 'openid' });
      const page = await (await app.browser.fetch(`${ISSUER}/logout`)).text();
      const xsrf = /name="xsrf" value="([^"]*)"/.exec(page)?.[1] as string;
      await app.browser.fetch(`${ISSUER}/logout/confirm`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
      });
      return { server, clientId: client.clientId, sid: decodeJwt(body.id_token)['sid'] };
    }

    it('lets a logout notice reach a private address that is named', async () => {
      const { clientId, sid } = await signOutWith({ BACKCHANNEL_HOSTS: `127.0.0.1:${port}` });
      await until(() => received.length > 0);
      const claims = decodeJwt(received.at(-1) as string);
      expect(claims).toMatchObject({ iss: ISSUER, aud: clientId, sub: ALICE, sid });
      expect(claims['events']).toHaveProperty([
        'http://schemas.openid.net/event/backchannel-logout',
      ]);
      expect(claims['nonce']).toBeUndefined();
    });

    it('lets none reach an address that is not', async () => {
      const before = received.length;
      const { server } = await signOutWith({});
      await until(() => server.lines.some((line) => line.includes('backchannel-logout.failed')));
      expect(received.length).toBe(before);
    });
  });
});
