import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { M2M, ProtocolClient } from '../testing/protocol-client.ts';
import { type ProtocolServer, startProtocolServer } from '../testing/protocol-server.ts';
import { Purge } from './purge.service.ts';

describeWith(['postgres'], 'the purge', () => {
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

  const count = async (table: string) =>
    (await server.pool.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n as number;

  it('deletes thousands of expired rows in batches and keeps what lives', async () => {
    await new ProtocolClient([server.origin]).signIn();
    const living = await count('oidc_records');
    await server.pool.query(
      `INSERT INTO oidc_records (kind, id, payload, expires_at)
       SELECT 'ClientCredentials', sha256(n::text::bytea), '{}', now() - interval '1 hour' FROM generate_series(1, 2500) n`,
    );
    const counts = await server.app.get(Purge).run();
    expect(counts['records']).toBe(2500);
    expect(await count('oidc_records')).toBe(living);
  });

  it('leaves rows for a minute after they expired', async () => {
    await server.pool.query(
      `INSERT INTO oidc_records (kind, id, payload, expires_at) VALUES ('ClientCredentials', '\\x01', '{}', now() - interval '30 seconds')`,
    );
    expect((await server.app.get(Purge).run())['records']).toBe(0);
  });

  it('keeps a used refresh token for as long as its family may live', async () => {
    const client = new ProtocolClient([server.origin]);
    const { body } = await client.signIn();
    await client.refresh(body.refresh_token);
    const { rows } = await server.pool.query(
      `SELECT extract(epoch FROM expires_at - now())::int AS seconds FROM oidc_records WHERE kind = 'RefreshToken' AND consumed_at IS NOT NULL`,
    );
    expect(rows[0].seconds).toBeGreaterThan(29 * 86_400);
  });

  it('drops status lists that no living token points to', async () => {
    await new ProtocolClient([server.origin], M2M).token({
      grant_type: 'client_credentials',
      scope: 'links:read',
    });
    expect(await count('status_lists')).toBe(1);
    await server.app.get(Purge).run();
    expect(await count('status_lists')).toBe(1);
    await server.pool.query(`UPDATE status_lists SET drop_at = now() - interval '1 second'`);
    expect((await server.app.get(Purge).run())['status_lists']).toBe(1);
  });

  it('may run in several processes at once', async () => {
    await server.pool.query(
      `INSERT INTO oidc_records (kind, id, payload, expires_at)
       SELECT 'ClientCredentials', sha256(n::text::bytea), '{}', now() - interval '1 hour' FROM generate_series(1, 1500) n`,
    );
    const purge = server.app.get(Purge);
    const counts = await Promise.all([purge.run(), purge.run(), purge.run()]);
    expect(counts.reduce((sum, { records = 0 }) => sum + records, 0)).toBe(1500);
  });
});
