import { DEVELOPMENT_MANAGEMENT_TOKEN, ManagementDoor, Readiness } from '@gatepost/service-kit';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { ClientAdministration } from '../clients/client-administration.service.ts';
import { KeyRotation } from '../keys/key-rotation.service.ts';
import { SigningKeysRepository } from '../keys/signing-keys.repository.ts';
import { KeysInUse } from '../provider/keys-in-use.service.ts';
import { ProtocolClient } from '../testing/protocol-client.ts';
import { type ProtocolServer, startProtocolServer } from '../testing/protocol-server.ts';
import { until } from '../testing/until.ts';
import { clientRoutes } from './clients.plugin.ts';
import { signingKeyRoutes } from './signing-keys.plugin.ts';

describeWith(['postgres'], 'administration of clients and keys', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: ProtocolServer;
  let neighbour: ProtocolServer;
  let door: ManagementDoor;
  let address: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startProtocolServer(database.url);
    neighbour = await startProtocolServer(database.url);
    const { createLogger } = await import('@gatepost/service-kit');
    door = new ManagementDoor({
      token: DEVELOPMENT_MANAGEMENT_TOKEN,
      logger: createLogger({ name: 'spec', level: 'fatal' }),
      metrics: server.metrics,
      readiness: new Readiness(),
    });
    const { app } = server;
    door.addRoutes(
      clientRoutes({
        clients: app.get(ClientAdministration),
        issueInitialAccessToken: undefined,
      }) as never,
    );
    door.addRoutes(
      signingKeyRoutes({
        keys: app.get(SigningKeysRepository),
        rotation: app.get(KeyRotation),
        inUse: app.get(KeysInUse),
        rotationSeconds: 86_400,
      }) as never,
    );
    address = `http://127.0.0.1:${await door.listen({ host: '127.0.0.1', port: 0 })}`;
  }, 30_000);
  afterAll(async () => {
    await door?.close();
    await server?.close();
    await neighbour?.close();
    await database?.drop();
  });

  async function call(method: string, path: string, body?: unknown, token?: string) {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token ?? DEVELOPMENT_MANAGEMENT_TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  }

  const machine = {
    name: 'Billing',
    grantTypes: ['client_credentials'],
    apiScopes: ['links:read'],
  };
  const tokenOf = (id: string, secret: string, origin = server.origin) =>
    new ProtocolClient([origin], { id, secret }).token({
      grant_type: 'client_credentials',
      scope: 'links:read',
    });

  it('wants the management token', async () => {
    for (const path of ['/admin/clients', '/admin/signing-keys'])
      expect((await call('GET', path, undefined, 'wrong-management-token')).status).toBe(401);
  });

  it('registers a client whose secret works at once, is told once and kept as a hash', async () => {
    const { status, body } = await call('POST', '/admin/clients', machine);
    expect(status).toBe(201);
    expect(body.clientSecret).toMatch(/^[\w-]{43}$/);
    expect((await tokenOf(body.clientId, body.clientSecret)).status).toBe(200);
    const shown = await call('GET', `/admin/clients/${body.clientId}`);
    expect(JSON.stringify(shown.body)).not.toContain(body.clientSecret);
    const { rows } = await server.pool.query(
      `SELECT string_agg(c::text, '') AS dump FROM (SELECT * FROM clients, client_secrets) c`,
    );
    expect(rows[0].dump).not.toContain(body.clientSecret);
  });

  it('refuses what it cannot register, fault by fault', async () => {
    const { status, body } = await call('POST', '/admin/clients', {
      name: 'Bad',
      redirectUris: ['http://app.example/cb', 'https://ok.example/cb'],
      authentication: 'none',
      introspects: ['https://api.example'],
    });
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/introspects',
      '/redirectUris/0',
    ]);
    expect((await call('POST', '/admin/clients', { ...machine, unknown: 1 })).status).toBe(400);
    expect(
      (await call('POST', '/admin/clients', { ...machine, grantTypes: ['password'] })).status,
    ).toBe(400);
    expect(
      (await call('POST', '/admin/clients', { ...machine, grantTypes: ['implicit'] })).status,
    ).toBe(400);
  });

  it('refuses an id that is taken', async () => {
    const { status } = await call('POST', '/admin/clients', { ...machine, clientId: 'demo-m2m' });
    expect(status).toBe(409);
  });

  it('rotates a secret with overlap: both work, then the new one alone', async () => {
    const { body: client } = await call('POST', '/admin/clients', machine);
    const overlap = await call('POST', `/admin/clients/${client.clientId}/secrets`, {
      overlapSeconds: 3600,
    });
    expect(overlap.status).toBe(201);
    await until(
      async () => (await tokenOf(client.clientId, overlap.body.clientSecret)).status === 200,
    );
    expect((await tokenOf(client.clientId, client.clientSecret)).status).toBe(200);
    const sharp = await call('POST', `/admin/clients/${client.clientId}/secrets`, {
      overlapSeconds: 0,
    });
    await until(
      async () => (await tokenOf(client.clientId, sharp.body.clientSecret)).status === 200,
    );
    for (const secret of [client.clientSecret, overlap.body.clientSecret])
      expect((await tokenOf(client.clientId, secret)).body.error).toBe('invalid_client');
  });

  it('disables a client in every process, ends its tokens, and enables it again', async () => {
    const { body: client } = await call('POST', '/admin/clients', machine);
    const { body: token } = await tokenOf(client.clientId, client.clientSecret, neighbour.origin);
    const path = `/admin/clients/${client.clientId}`;
    expect((await call('POST', `${path}/disable`)).body.disabledAt).not.toBeNull();
    await until(
      async () =>
        (await tokenOf(client.clientId, client.clientSecret, neighbour.origin)).status === 401,
    );
    const { rows } = await server.pool.query(`SELECT count(*)::int AS n FROM status_revocations`);
    expect(rows[0].n).toBeGreaterThan(0);
    expect(token.access_token).toBeDefined();
    await call('POST', `${path}/enable`);
    await until(async () => (await tokenOf(client.clientId, client.clientSecret)).status === 200);
    const again = await new ProtocolClient([server.origin], {
      id: client.clientId,
      secret: client.clientSecret,
    }).post('/introspect', { token: token.access_token });
    expect(again.body).toEqual({ active: false });
  });

  it('ends the tokens of people too when their client is disabled', async () => {
    const redirectUri = 'https://app.example/cb';
    const { body: client } = await call('POST', '/admin/clients', {
      name: 'App',
      redirectUris: [redirectUri],
      apiScopes: ['links:read', 'links:write'],
    });
    const app = new ProtocolClient(
      [server.origin],
      { id: client.clientId, secret: client.clientSecret },
      redirectUri,
    );
    const { body } = await app.signIn();
    await call('POST', `/admin/clients/${client.clientId}/disable`);
    await call('POST', `/admin/clients/${client.clientId}/enable`);
    await until(async () => (await app.refresh(body.refresh_token)).body.error === 'invalid_grant');
  });

  it('changes, lists and deletes clients', async () => {
    const { body: client } = await call('POST', '/admin/clients', machine);
    const path = `/admin/clients/${client.clientId}`;
    const changed = await call('PATCH', path, { name: 'Renamed', apiScopes: ['links:write'] });
    expect(changed.body).toMatchObject({ name: 'Renamed', apiScopes: ['links:write'] });
    expect((await call('PATCH', path, { grantTypes: ['refresh_token'] })).status).toBe(400);
    const first = await call('GET', '/admin/clients?limit=2');
    expect(first.body.items).toHaveLength(2);
    const second = await call('GET', `/admin/clients?limit=2&cursor=${first.body.nextCursor}`);
    expect(second.body.items[0].clientId > first.body.items[1].clientId).toBe(true);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('shows keys without their private parts, and rotates them', async () => {
    const before = await call('GET', '/admin/signing-keys');
    expect(Object.keys(before.body.items[0]).sort()).toEqual(
      'alg createdAt kid retiredAt signsFrom state'.split(' '),
    );
    expect(before.body.rotationSeconds).toBe(86_400);
    const after = await call('POST', '/admin/signing-keys/rotations', { immediately: true });
    expect(after.status).toBe(201);
    const current = (items: { state: string; kid: string }[]) =>
      items.filter(({ state }) => state === 'current').map(({ kid }) => kid);
    expect(current(after.body.items)).not.toEqual(current(before.body.items));
  });

  it('leaves an audit trail without secrets', () => {
    const trail = server.lines.filter((line) => line.includes('"audit":true')).join('');
    for (const event of [
      'client.created',
      'client.secret-rotated',
      'client.disabled',
      'signing-key.rotated',
    ])
      expect(trail).toContain(event);
    expect(trail).not.toContain('clientSecret');
  });
});
