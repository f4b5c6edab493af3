import type { ServerResponse } from 'node:http';
import { until } from '@gatepost/test-services';
import { WebSocketServer } from 'ws';
import { type GatewayUnderTest, openGateway } from './testing/open-gateway.ts';
import { RawClient } from './testing/raw-client.ts';
import { openUpstream, type Upstream } from './testing/upstream.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: links.example\r\n\r\n`;
const UPGRADE =
  'GET /socket HTTP/1.1\r\nHost: links.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

describe('requests in a row on one connection', () => {
  let upstream: Upstream;
  let gateway: GatewayUnderTest;
  let waiting: Map<string, ServerResponse>;
  let client: RawClient;

  beforeEach(async () => {
    waiting = new Map();
    upstream = await openUpstream(
      (request, response) => void waiting.set(request.url ?? '', response),
    );
    const sockets = new WebSocketServer({ server: upstream.server });
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
    gateway = await openGateway({ upstream: upstream.origin });
    client = await RawClient.open(gateway.port);
  });

  afterEach(async () => {
    client.close();
    await gateway.close();
    await upstream.close();
  });

  it('are answered in order, whichever is ready first', async () => {
    client.send(get('/1') + get('/2') + get('/3'));
    await until(() => waiting.size === 3);
    for (const path of ['/3', '/2', '/1']) waiting.get(path)?.end(path);
    for (const path of ['/1', '/2', '/3']) expect((await client.answer()).body).toBe(path);
  });

  it('are all given up when the client leaves', async () => {
    client.send(get('/1') + get('/2') + get('/3'));
    await until(() => waiting.size === 3);
    let closed = 0;
    for (const response of waiting.values()) response.on('close', () => closed++);
    client.close();
    await until(() => closed === 3 && gateway.pipeline.inFlight === 0);
    expect(gateway.observed.map(({ isGone }) => isGone)).toEqual([true, true, true]);
  });

  it('may end in an upgrade, which waits for its turn', async () => {
    client.send(get('/1') + UPGRADE);
    await until(() => waiting.size === 1);
    waiting.get('/1')?.end('first');
    expect((await client.answer()).body).toBe('first');
    expect(await client.answer()).toMatchObject({ status: 101 });
    await until(() => gateway.pipeline.inFlight === 0);
  });

  it('may end in an offer of another protocol, which is ignored in its turn', async () => {
    client.send(
      get('/1') + get('/2').replace('\r\n\r\n', '\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
    );
    await until(() => waiting.has('/1'));
    waiting.get('/1')?.end('first');
    expect((await client.answer()).body).toBe('first');
    await until(() => waiting.has('/2'));
    waiting.get('/2')?.end('second');
    expect((await client.answer()).body).toBe('second');
  });

  it('may end in CONNECT, which is refused in its turn', async () => {
    client.send(`${get('/1')}CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await until(() => waiting.size === 1);
    waiting.get('/1')?.end('first');
    expect((await client.answer()).body).toBe('first');
    expect(await client.answer()).toMatchObject({ status: 501 });
  });

  it('leave nothing behind when the client leaves before an upgrade had its turn', async () => {
    client.send(get('/1') + get('/2') + UPGRADE);
    await until(() => waiting.size === 2);
    client.close();
    await until(() => gateway.pipeline.inFlight === 0);
    expect(gateway.tunnels.count).toBe(0);
  });
});
