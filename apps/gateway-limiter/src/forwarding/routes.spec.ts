import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { DefinitionRefused } from '../definition-file.ts';
import { hostileEdits } from '../testing/hostile-edits.ts';
import { defaultRouting, parseRouting, RouteTable, routing } from './routes.ts';

const pools = { a: { peers: ['http://127.0.0.1:1'] }, b: { peers: ['http://127.0.0.1:2'] } };

describe('the default routes', () => {
  const table = new RouteTable(
    defaultRouting({ authServer: ['http://a'], shortener: ['http://b'] }).routes,
  );

  it.each([
    ['/auth', 'auth'],
    ['/auth/', 'auth'],
    ['/auth/token', 'auth'],
    ['/.well-known/openid-configuration/auth', 'auth'],
    ['/.well-known/oauth-authorization-server/auth', 'auth'],
    ['/authABC', 'links'],
    ['/Auth/token', 'links'],
    ['/aut', 'links'],
    ['/', 'links'],
    ['/.well-known/openid-configuration', 'links'],
    ['/.well-known/openid-configuration/authX', 'links'],
    ['/abc1234', 'links'],
  ])('lead %s to %s', (path, name) => {
    expect(table.find('any.example', path)).toMatchObject({ route: { name } });
  });
});

describe('a route table', () => {
  const { routes } = routing.parse({
    pools,
    routes: [
      { name: 'any', paths: ['/x'], pool: 'a' },
      { name: 'wild', hosts: ['*.example.com'], pool: 'a' },
      { name: 'exact', hosts: ['API.example.com'], paths: ['/v1', '/v1/admin'], pool: 'b' },
      { name: 'deep', hosts: ['api.example.com'], paths: ['/v1/admin/keys'], pool: 'a' },
    ],
  });
  const table = new RouteTable(routes);

  it.each([
    ['api.example.com', '/v1/admin/keys/1', 'deep'],
    ['api.example.com', '/v1/admin/other', 'exact'],
    ['api.example.com', '/other', 'wild'],
    ['a.b.example.com', '/v1', 'wild'],
    ['api.example.com', '/x', 'wild'],
    ['elsewhere.org', '/x/y', 'any'],
  ])('leads %s%s to %s: host first, then the longest prefix', (host, path, name) => {
    expect(table.find(host, path)).toMatchObject({ route: { name } });
  });

  it('tells an unknown path from an unknown host', () => {
    const hosted = new RouteTable(
      routing.parse({ pools, routes: [{ name: 'x', hosts: ['x.org'], paths: ['/x'], pool: 'a' }] })
        .routes,
    );
    expect(hosted.find('x.org', '/y')).toEqual({ missing: 'path' });
    expect(hosted.find('y.org', '/x')).toEqual({ missing: 'host' });
  });

  it('does not take example.com for *.example.com', () => {
    const wild = new RouteTable(
      routing.parse({ pools, routes: [{ name: 'x', hosts: ['*.example.com'], pool: 'a' }] }).routes,
    );
    expect(wild.find('example.com', '/')).toEqual({ missing: 'host' });
    expect(wild.find('evilexample.com', '/')).toEqual({ missing: 'host' });
  });
});

describe('a routes file', () => {
  it('fills in what it leaves out', () => {
    const { pools: read } = parseRouting(
      'routes.yaml',
      'pools: { links: { peers: [http://127.0.0.1:1], health: { path: /livez } } }\n' +
        'routes: [{ name: links, pool: links }]',
    );
    expect(read['links']).toMatchObject({
      headTimeoutMs: 30_000,
      connections: 1_024,
      health: { intervalMs: 2_000 },
      outlier: { failures: 5 },
    });
  });

  it('is told all its faults at once', () => {
    const parsed = routing.safeParse({
      pools: { a: { peers: ['http://127.0.0.1:1/path'], colour: 'red' }, 'B B': { peers: [] } },
      routes: [
        { name: 'one', pool: 'missing', paths: ['no-slash', '/ends/'] },
        { name: 'two', pool: 'a', hosts: ['not a host'] },
      ],
    });
    const paths = parsed.error?.issues.map((issue) => issue.path.join('.'));
    expect(paths).toEqual(
      expect.arrayContaining([
        'pools.a.peers.0',
        'pools.a',
        'pools.B B',
        'routes.0.paths.0',
        'routes.0.paths.1',
        'routes.1.hosts.0',
      ]),
    );
  });

  it('may neither name a pool that is not there nor claim a place twice', () => {
    const parsed = routing.safeParse({
      pools,
      routes: [
        { name: 'one', pool: 'c' },
        { name: 'one', pool: 'a', paths: ['/x'] },
        { name: 'three', pool: 'a' },
      ],
    });
    expect(parsed.error?.issues.map((issue) => issue.message)).toEqual([
      'there is no pool "c"',
      '"one" is used twice',
      'claims /, which route "one" has already',
    ]);
  });
});

describe('any routes file', () => {
  const GOOD = `
pools:
  a: { peers: ["http://127.0.0.1:1", "https://b.example"], connections: 8, health: { path: /livez } }
  b: { peers: ["http://127.0.0.1:2"], outlier: { failures: 3 } }
routes:
  - { name: api, hosts: [api.example.com, "*.example.org"], paths: [/v1, /v1/admin], pool: a, maxBodyBytes: 10 }
  - { name: any, pool: b }
`;

  it('is refused with its faults, or leads every request somewhere', () => {
    fc.assert(
      fc.property(hostileEdits(GOOD), (text) => {
        let read: ReturnType<typeof parseRouting>;
        try {
          read = parseRouting('routes.yaml', text);
        } catch (error) {
          expect(error).toBeInstanceOf(DefinitionRefused);
          expect((error as DefinitionRefused).faults.join('')).not.toBe('');
          return;
        }
        const table = new RouteTable(read.routes);
        for (const host of ['api.example.com', 'x.example.org', ''])
          for (const path of ['/', '/v1/admin/x', '*']) {
            const found = table.find(host, path);
            if ('route' in found) expect(Object.hasOwn(read.pools, found.route.pool)).toBe(true);
            else expect(['path', 'host']).toContain(found.missing);
          }
      }),
      runs(400),
    );
  });
});
