import { createLogger } from './logger.ts';
import { ManagementDoor } from './management-door.ts';
import { createMetrics } from './metrics.ts';
import { Readiness } from './readiness.ts';

describe('the management door', () => {
  const readiness = new Readiness();
  const door = new ManagementDoor({
    token: 'the right token',
    logger: createLogger({ name: 'test', level: 'fatal' }),
    metrics: createMetrics('test'),
    readiness,
  });
  let base = '';
  beforeAll(async () => {
    door.addRoutes(async (server) => {
      server.get('/admin/things', async () => ({ things: [] }));
    });
    base = `http://127.0.0.1:${await door.listen({ host: '127.0.0.1', port: 0 })}`;
  });
  afterAll(() => door.close());

  const get = (path: string, token?: string) =>
    fetch(base + path, token ? { headers: { authorization: `Bearer ${token}` } } : {});

  it('answers probes and scrapers without a token', async () => {
    expect((await get('/livez')).status).toBe(200);
    expect(await (await get('/metrics')).text()).toContain('process_resident_memory_bytes');
  });

  it('is not ready before the start and not ready while draining', async () => {
    expect((await get('/readyz')).status).toBe(503);
    readiness.markReady();
    expect((await get('/readyz')).status).toBe(200);
    readiness.markDraining();
    expect((await get('/readyz')).status).toBe(503);
  });

  it('shows dependencies and does not judge by them', async () => {
    readiness.watch('postgres', () => {
      throw new Error('away');
    });
    expect(await (await get('/readyz?verbose')).json()).toEqual({
      status: 'draining',
      dependencies: { postgres: { up: false, detail: 'away' } },
    });
  });

  it.each([
    ['no token', undefined],
    ['a wrong token', 'the wrong token'],
  ])('refuses administration with %s', async (_what, token) => {
    const answer = await get('/admin/things', token);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      401,
      'application/problem+json',
    ]);
  });

  it('lets the holder of the token in', async () => {
    expect(await (await get('/admin/things', 'the right token')).json()).toEqual({ things: [] });
  });

  it('answers 404 as a problem elsewhere', async () => {
    const answer = await get('/nothing', 'the right token');
    expect([answer.status, ((await answer.json()) as { type: string }).type]).toEqual([
      404,
      'urn:gatepost:problem:not-found',
    ]);
  });
});
