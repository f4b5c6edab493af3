import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { BreakableLine } from '../testing/breakable-line.ts';
import { M2M, ProtocolClient } from '../testing/protocol-client.ts';
import { type ProtocolServer, startProtocolServer } from '../testing/protocol-server.ts';
import { until } from '../testing/until.ts';

describeWith(['postgres'], 'while the database is away', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let line: BreakableLine;
  let server: ProtocolServer;
  let refreshToken: string;
  const machine = () =>
    new ProtocolClient([server.origin], M2M).token({
      grant_type: 'client_credentials',
      scope: 'links:read',
    });

  beforeAll(async () => {
    database = await createTestDatabase();
    line = new BreakableLine(database.url);
    await line.mend();
    server = await startProtocolServer(line.url);
    refreshToken = (await new ProtocolClient([server.origin]).signIn()).body.refresh_token;
    await machine();
    await line.cut();
  }, 30_000);
  afterAll(async () => {
    await server?.close();
    await line?.cut();
    await database?.drop();
  });

  it('keys and metadata are still told', async () => {
    for (const path of ['/auth/jwks', '/auth/.well-known/openid-configuration'])
      expect((await fetch(`${server.origin}${path}`)).status).toBe(200);
  });

  it('token requests are answered 503 with Retry-After, in JSON', async () => {
    for (const { status, body, headers } of [
      await machine(),
      await new ProtocolClient([server.origin]).refresh(refreshToken),
    ]) {
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('2');
      expect(body.error).toBe('temporarily_unavailable');
    }
  });

  it('an authorization request is answered with a page and no redirect', async () => {
    const { url } = new ProtocolClient([server.origin]).request();
    const { pathname, search } = new URL(url);
    const response = await fetch(`${server.origin}${pathname}${search}`, { redirect: 'manual' });
    expect([303, 503]).toContain(response.status);
    const location = response.headers.get('location') ?? '';
    expect(location).not.toContain('code=');
  });

  it('status lists are 503, not 404: nobody may take a revoked token for a good one', async () => {
    expect((await fetch(`${server.origin}/auth/status-lists/some-list-id`)).status).toBe(503);
  });

  it('all is well again once it is back, and no token was used up meanwhile', async () => {
    await line.mend();
    await until(async () => (await machine()).status === 200);
    const again = await new ProtocolClient([server.origin]).refresh(refreshToken);
    expect(again.status).toBe(200);
  });
});
