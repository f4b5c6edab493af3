import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createLogger } from '@gatepost/service-kit';
import { createTestDatabase, describeWith, until } from '@gatepost/test-services';
import { LinkRepository } from '../links/link.repository.ts';
import { MIGRATIONS } from '../migrate.ts';
import type { CachedLink } from '../redirect/cached-link.ts';
import { Node } from '../testing/redirect-node.ts';
import { DestinationScanner } from './destination-scanner.ts';
import { GuardedFetch } from './guarded-fetch.ts';
import { ScanRepository } from './scan.repository.ts';

describeWith(['postgres'], 'DestinationScanner on Postgres', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;
  let node: Node;
  let site: Server;
  let answer: RequestListener;
  let visits: number;
  let verdicts: string[];
  const scanners: DestinationScanner[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    await migrate({ url: database.url, folder: MIGRATIONS });
    pool = openPool({ url: database.url, applicationName: 'spec' });
    node = await Node.start({ postgres: database.url });
    site = createServer((request, response) => {
      visits += 1;
      answer(request, response);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  });

  beforeEach(() => {
    visits = 0;
    verdicts = [];
    answer = (_request, response) => response.end('fine');
  });

  afterAll(async () => {
    for (const scanner of scanners) scanner.stop();
    site?.closeAllConnections();
    site?.close();
    await node?.stop();
    await pool?.end();
    await database?.drop();
  });

  /** The site stands for a public one: its loopback address is allowed, `private.example` stands for a private host. */
  function startScanner(isEnabled = true): DestinationScanner {
    const guarded = new GuardedFetch({
      allowPrivate: true,
      userAgent: 'spec',
      resolveHost: async () => ['127.0.0.1'],
    });
    const scanner = new DestinationScanner(
      new ScanRepository(pool),
      {
        fetchHop: (url, signal) => guarded.fetchHop(url, signal),
        findOnBlocklist: (url) => (url.includes('listed.example') ? 'It is listed.' : undefined),
        reputationChecks: [],
        allowPrivate: true,
        isOwnAddress: () => false,
      },
      {
        resolver: node.resolver,
        courier: node.courier,
        count: (verdict) => verdicts.push(verdict),
        logger: createLogger({ name: 'spec', level: 'fatal' }),
      },
      isEnabled,
    );
    scanners.push(scanner);
    return scanner;
  }

  async function create(code: string): Promise<CachedLink> {
    const { port } = site.address() as AddressInfo;
    await new LinkRepository(pool).insertLink({
      code,
      longUrl: `http://site.example:${port}/${code}`,
      owner: 'user:1',
      createdAt: new Date(),
      expiresAt: undefined,
      trackClicks: true,
    });
    const resolution = await node.resolve(code);
    if (resolution.kind !== 'link') throw new Error(`${code} is not there`);
    return resolution.link;
  }

  const scannedAt = async (code: string) =>
    (await pool.query('SELECT scanned_at FROM links WHERE code = $1', [code])).rows[0]?.scanned_at;

  it('visits the destination once, however often the link is followed', async () => {
    const scanner = startScanner();
    const link = await create('scan001');
    for (let redirect = 0; redirect < 20; redirect++) scanner.offer(link);
    await until(async () => (await scannedAt('scan001')) instanceof Date);
    expect([visits, verdicts]).toEqual([1, ['clean']]);
    const resolution = await node.resolve('scan001');
    expect(resolution).toMatchObject({ kind: 'link', link: { isScanned: true } });
  });

  it('is done by one node of several', async () => {
    const link = await create('scan002');
    for (const scanner of [startScanner(), startScanner(), startScanner()]) scanner.offer(link);
    await until(async () => (await scannedAt('scan002')) instanceof Date);
    expect(visits).toBe(1);
  });

  it('blocks the link, with the reason, when a hop is bad', async () => {
    const link = await create('scan003');
    answer = (_request, response) =>
      response.writeHead(302, { location: 'https://listed.example/' }).end();
    startScanner().offer(link);
    await until(async () => (await node.follow('scan003')) === 'blocked', { withinMs: 2_000 });
    expect(await node.resolve('scan003')).toEqual({ kind: 'blocked', reason: 'It is listed.' });
    const { rows } = await pool.query(`SELECT 1 FROM link_invalidations WHERE code = 'scan003'`);
    expect(rows).toEqual([]);
  });

  it('leaves a link alone whose destination was edited meanwhile', async () => {
    const link = await create('scan004');
    answer = async (_request, response) => {
      await new LinkRepository(pool).changeLink(
        'scan004',
        'user:1',
        { longUrl: 'https://example.org/other', expiresAt: undefined, trackClicks: undefined },
        new Date(),
      );
      response.writeHead(302, { location: 'https://listed.example/' }).end();
    };
    startScanner().offer(link);
    await until(() => verdicts.length === 1);
    node.resolver.forget('scan004');
    expect(await node.follow('scan004')).toBe('https://example.org/other');
    expect(await scannedAt('scan004')).toBeNull();
  });

  it('comes to no verdict on what it cannot reach, and says so', async () => {
    const link = await create('scan005');
    answer = (request) => request.socket.destroy();
    startScanner().offer(link);
    await until(() => verdicts.length === 1);
    expect(verdicts).toEqual(['inconclusive']);
    expect(await scannedAt('scan005')).toBeNull();
    expect(await node.follow('scan005')).toMatch(/^http:/);
  });

  it('drops what it has no room for, and takes it when it is offered again', async () => {
    answer = () => undefined;
    const scanner = startScanner();
    const link = await create('scan006');
    for (let index = 0; index < 1_010; index++) scanner.offer({ ...link, code: `none${index}` });
    expect(verdicts.filter((verdict) => verdict === 'dropped').length).toBeGreaterThan(0);
    scanner.stop();
  });

  it('does nothing where it is switched off', async () => {
    const link = await create('scan007');
    startScanner(false).offer(link);
    await new Promise((resolve) => setImmediate(resolve));
    expect([visits, verdicts]).toEqual([0, []]);
  });
});
