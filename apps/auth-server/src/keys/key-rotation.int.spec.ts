import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { AuditLog } from '../audit/audit-log.service.ts';
import { M2M, ProtocolClient } from '../testing/protocol-client.ts';
import { type ProtocolServer, startProtocolServer, testEnv } from '../testing/protocol-server.ts';
import { until } from '../testing/until.ts';
import { KeyRotation } from './key-rotation.service.ts';
import { SigningKeysRepository } from './signing-keys.repository.ts';
import { stateOf } from './signing-keys.ts';

describeWith(['postgres'], 'key rotation over several processes', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let servers: ProtocolServer[];

  beforeEach(async () => {
    database = await createTestDatabase();
    servers = [await startProtocolServer(database.url), await startProtocolServer(database.url)];
  }, 30_000);
  afterEach(async () => {
    for (const server of servers) await server.close();
    await database.drop();
  });

  const tokenFrom = async (server: ProtocolServer) =>
    (
      await new ProtocolClient([server.origin], M2M).token({
        grant_type: 'client_credentials',
        scope: 'links:read',
      })
    ).body.access_token;
  const kidOf = (token: string) => decodeProtectedHeader(token).kid as string;
  const jwksOf = async (server: ProtocolServer) =>
    (await (await fetch(`${server.origin}/auth/jwks`)).json()) as JSONWebKeySet;
  const verifies = async (token: string, server: ProtocolServer) =>
    (await jwtVerify(token, createLocalJWKSet(await jwksOf(server)))).payload.sub;

  it('starts several processes on one set of keys', async () => {
    const kids = await Promise.all(servers.map(async (server) => kidOf(await tokenFrom(server))));
    expect(kids[0]).toBe(kids[1]);
    const { rows } = await (servers[0] as ProtocolServer).pool.query('SELECT 1 FROM signing_keys');
    expect(rows).toHaveLength(4);
  });

  it('lets the next key sign in every process without a restart, and old tokens verify', async () => {
    const [first, second] = servers as [ProtocolServer, ProtocolServer];
    const before = await tokenFrom(first);
    const refresh = (await new ProtocolClient([first.origin]).signIn()).body.refresh_token;
    const published = (await jwksOf(second)).keys.map(({ kid }) => kid);
    await first.app.get(KeyRotation).rotate(new Date(), { immediately: true });
    await until(async () => kidOf(await tokenFrom(second)) !== kidOf(before));
    await until(async () => kidOf(await tokenFrom(first)) !== kidOf(before));
    const after = await tokenFrom(second);
    expect(published).toContain(kidOf(after));
    expect(await verifies(before, second)).toBe('demo-m2m');
    expect(await verifies(after, first)).toBe('demo-m2m');
    const again = await new ProtocolClient([second.origin]).refresh(refresh);
    expect(again.status).toBe(200);
    expect(kidOf(again.body.id_token)).toBe(kidOf(after));
  });

  it('waits with a key that has not been published for as long as a JWKS may be cached', async () => {
    const [first] = servers as [ProtocolServer];
    await first.app.get(KeyRotation).rotate(new Date(), { immediately: false });
    const now = new Date();
    await first.app.get(KeyRotation).rotate(now, { immediately: false });
    const keys = await first.app.get(SigningKeysRepository).findAll();
    const scheduled = keys.filter(({ signsFrom }) => signsFrom && signsFrom > now);
    expect(scheduled).toHaveLength(2);
    for (const { createdAt, signsFrom } of scheduled)
      expect((signsFrom as Date).getTime() - createdAt.getTime()).toBe(300_000);
    const later = new Date(now.getTime() + 301_000);
    expect(keys.filter((key) => stateOf(key, later) === 'current')).toHaveLength(2);
  });

  it('rotates by schedule once although all processes look, and removes spent keys', async () => {
    const [first, second] = servers as [ProtocolServer, ProtocolServer];
    const month = new Date(Date.now() + 31 * 86_400_000);
    const changed = await Promise.all(
      [first, second].map((server) => server.app.get(KeyRotation).maintain(month)),
    );
    expect(changed.filter(Boolean)).toHaveLength(1);
    const keys = await first.app.get(SigningKeysRepository).findAll();
    const states = keys.map((key) => `${key.alg} ${stateOf(key, month)}`).sort();
    expect(states).toEqual([
      'ES256 current',
      'ES256 next',
      'ES256 previous',
      'RS256 current',
      'RS256 next',
      'RS256 previous',
    ]);
    const spent = new Date(month.getTime() + 2 * 3_600_000);
    await second.app.get(KeyRotation).maintain(spent);
    expect(await first.app.get(SigningKeysRepository).findAll()).toHaveLength(4);
  });

  it('keeps private keys sealed, and seals them again when the encryption key changes', async () => {
    const [first] = servers as [ProtocolServer];
    const { rows } = await first.pool.query('SELECT * FROM signing_keys');
    const keys = await first.app.get(SigningKeysRepository).findAll();
    const dump = JSON.stringify(
      rows.map((row) => ({ ...row, raw: row.sealed_jwk.toString('latin1') })),
    );
    for (const { privateJwk } of keys) expect(dump).not.toContain(privateJwk.d);
    const rotated = `${Buffer.alloc(32, 9).toString('base64')},${first.env.ENCRYPTION_KEYS[0]?.toString('base64')}`;
    const env = testEnv(database.url, { ENCRYPTION_KEYS: rotated });
    const repository = new SigningKeysRepository(first.pool, env);
    await new KeyRotation(repository, env, first.app.get(AuditLog)).rotate(new Date(), {
      immediately: true,
    });
    const onlyNew = testEnv(database.url, { ENCRYPTION_KEYS: rotated.split(',')[0] as string });
    const again = await new SigningKeysRepository(first.pool, onlyNew).findAll();
    expect(again.map(({ privateJwk }) => privateJwk.d)).toEqual(
      expect.arrayContaining(keys.map(({ privateJwk }) => privateJwk.d)),
    );
  });
});
