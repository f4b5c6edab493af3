import { until } from '@gatepost/test-services';
import { routing } from './forwarding/routes.ts';
import { type GatewayUnderTest, openGateway } from './testing/open-gateway.ts';
import { exchange } from './testing/raw-client.ts';
import { openUpstream, type Upstream } from './testing/upstream.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function remember<T extends { close(): Promise<void> }>(opened: T): T {
  closing.push(() => opened.close());
  return opened;
}

const named = async (name: string, status: () => number = () => 200) =>
  remember(
    await openUpstream((_request, response) => {
      response.statusCode = status();
      response.end(name);
    }),
  );

async function ask(gateway: GatewayUnderTest, path = '/a') {
  const { answer, client } = await exchange(
    gateway.port,
    `GET ${path} HTTP/1.1\r\nHost: links.example\r\n\r\n`,
  );
  client.close();
  return answer;
}

const poolOf = (peers: Upstream[], options = {}) => ({
  pools: { pool: { peers: peers.map(({ origin }) => origin), ...options } },
  routes: [{ name: 'all', pool: 'pool' }],
});

describe('a pool', () => {
  it('takes its peers in turn', async () => {
    const peers = [await named('a'), await named('b'), await named('c')];
    const gateway = remember(await openGateway({ upstream: poolOf(peers) }));
    const bodies: string[] = [];
    for (let count = 0; count < 6; count++) bodies.push((await ask(gateway)).body);
    expect([...bodies].sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(new Set(bodies.slice(0, 3)).size).toBe(3);
  });

  it('puts a failing peer aside and takes it back', async () => {
    let status = 503;
    const peers = [await named('good'), await named('bad', () => status)];
    const gateway = remember(
      await openGateway({
        upstream: poolOf(peers, { outlier: { failures: 2, ejectionMs: 400 } }),
      }),
    );
    const statuses: number[] = [];
    for (let count = 0; count < 10; count++) statuses.push((await ask(gateway)).status);
    expect(statuses.filter((each) => each === 503)).toHaveLength(2);
    status = 200;
    const deadline = performance.now() + 3_000;
    let body = '';
    while (body !== 'bad' && performance.now() < deadline) body = (await ask(gateway)).body;
    expect(body).toBe('bad');
  });

  it('never puts its last peers aside', async () => {
    const peers = [await named('a', () => 503), await named('b', () => 503)];
    const gateway = remember(
      await openGateway({ upstream: poolOf(peers, { outlier: { failures: 1 } }) }),
    );
    for (let count = 0; count < 6; count++) expect(['a', 'b']).toContain((await ask(gateway)).body);
  });

  it('asks no peer that fails its probes, and says when to come back if none is left', async () => {
    let health = 200;
    const probed = remember(
      await openUpstream((request, response) => {
        response.statusCode = request.url === '/health' ? health : 200;
        response.end('ok');
      }),
    );
    const probes = { path: '/health', intervalMs: 100, unhealthyAfter: 2 };
    const gateway = remember(await openGateway({ upstream: poolOf([probed], { health: probes }) }));
    expect(await ask(gateway)).toMatchObject({ status: 200 });
    health = 500;
    const [pool] = [...gateway.upstreams.allPools];
    await until(() => pool?.peers[0]?.health.isAlive === false);
    expect(await ask(gateway)).toMatchObject({
      status: 503,
      fields: { 'retry-after': '1', 'x-ratelimit-limit': '100' },
    });
    health = 200;
    await until(() => pool?.peers[0]?.health.isAlive === true);
    expect(await ask(gateway)).toMatchObject({ status: 200 });
  });

  it('lets only so many requests wait', async () => {
    const answers: (() => void)[] = [];
    const slow = remember(
      await openUpstream((_request, response) => void answers.push(() => response.end('ok'))),
    );
    const gateway = remember(
      await openGateway({ upstream: poolOf([slow], { connections: 1, waiting: 1 }) }),
    );
    const first = ask(gateway);
    await until(() => answers.length === 1);
    const second = ask(gateway);
    await until(() => gateway.pipeline.inFlight === 2);
    expect(await ask(gateway)).toMatchObject({ status: 503, fields: { 'retry-after': '1' } });
    answers[0]?.();
    await until(() => answers.length === 2);
    answers[1]?.();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it('answers 504 when a peer does not accept the connection in time', async () => {
    // TEST-NET-1 (RFC 5737) swallows what is sent to it, or there is no way to it at all.
    const gateway = remember(
      await openGateway({
        upstream: {
          pools: { only: { peers: ['http://192.0.2.1:81'], connectTimeoutMs: 200 } },
          routes: [{ name: 'only', pool: 'only' }],
        },
      }),
    );
    expect([502, 504]).toContain((await ask(gateway)).status);
  });
});

describe('another routing', () => {
  it('is in force at once, and what is in flight still finishes', async () => {
    let finish: (() => void) | undefined;
    const before = remember(
      await openUpstream((request, response) => {
        if (request.url === '/slow') finish = () => response.end('finished');
        else response.end('before');
      }),
    );
    const after = await named('after');
    const gateway = remember(await openGateway({ upstream: before.origin }));
    const slow = ask(gateway, '/slow');
    await until(() => finish !== undefined);
    gateway.upstreams.apply(
      routing.parse({
        pools: { only: { peers: [after.origin] } },
        routes: [{ name: 'only', pool: 'only' }],
      }),
    );
    expect((await ask(gateway)).body).toBe('after');
    finish?.();
    expect((await slow).body).toBe('finished');
  });

  it('keeps the connections of pools that did not change', async () => {
    const peer = await named('a');
    const gateway = remember(await openGateway({ upstream: poolOf([peer]) }));
    await ask(gateway);
    gateway.upstreams.apply(
      routing.parse({ ...poolOf([peer]), routes: [{ name: 'new', pool: 'pool' }] }),
    );
    await ask(gateway);
    expect(peer.connections).toBe(1);
    await until(() => gateway.observed.length === 2);
    expect(gateway.observed.map(({ route }) => route)).toEqual(['all', 'new']);
  });
});
