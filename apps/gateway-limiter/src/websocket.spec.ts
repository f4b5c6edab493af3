import { randomBytes } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { until } from '@gatepost/test-services';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import {
  admit,
  type GatewaySettings,
  type GatewayUnderTest,
  openGateway,
  refuse,
} from './testing/open-gateway.ts';
import { exchange, RawClient } from './testing/raw-client.ts';
import { openRawUpstream, openUpstream } from './testing/upstream.ts';

const HANDSHAKE =
  'GET /socket HTTP/1.1\r\nHost: links.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An echo server, and the gateway before it. */
async function openEcho(settings: Partial<GatewaySettings> = {}) {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    perMessageDeflate: true,
    handleProtocols: (offered) => [...offered].at(-1) ?? false,
  });
  server.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.on('error', () => undefined);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway = await openGateway({ upstream: origin, ...settings });
  closing.push(async () => {
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  });
  closing.push(() => gateway.close());
  return { server, gateway };
}

function open(gateway: GatewayUnderTest, ...more: [string[]?, object?]): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/socket?q=1`, ...more);
  socket.on('error', () => undefined);
  closing.push(() => socket.terminate());
  return socket;
}

const opened = (socket: WebSocket) =>
  new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));

const next = (socket: WebSocket) =>
  new Promise<[RawData, boolean]>((resolve) =>
    socket.once('message', (data, isBinary) => resolve([data, isBinary])),
  );

const ended = (socket: WebSocket) =>
  new Promise<[number, string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, reason.toString()])),
  );

describe('a WebSocket through the gateway', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536, 1_000_000])(
    'echoes text of %i characters',
    async (length) => {
      const { gateway } = await openEcho();
      const socket = open(gateway);
      await opened(socket);
      const text = 'ä'.repeat(length);
      const answer = next(socket);
      socket.send(text);
      const [data, isBinary] = await answer;
      expect([data.toString() === text, isBinary]).toEqual([true, false]);
    },
  );

  it.each([1, 127, 70_000, 3_000_000])('echoes %i bytes', async (length) => {
    const { gateway } = await openEcho();
    const socket = open(gateway, [], { perMessageDeflate: false });
    await opened(socket);
    const bytes = randomBytes(length);
    const answer = next(socket);
    socket.send(bytes);
    const [data, isBinary] = await answer;
    expect([bytes.equals(data as Buffer), isBinary]).toEqual([true, true]);
  });

  it('carries fragments, pings and pongs', async () => {
    const { gateway } = await openEcho();
    const socket = open(gateway);
    await opened(socket);
    const answer = next(socket);
    const pong = new Promise((resolve) => socket.once('pong', resolve));
    socket.send('one ', { fin: false });
    socket.ping('are you there');
    socket.send('two', { fin: true });
    expect(String((await answer)[0])).toBe('one two');
    expect(String(await pong)).toBe('are you there');
  });

  it('passes subprotocols and extensions on, all that were offered', async () => {
    const { gateway } = await openEcho();
    const socket = open(gateway, ['first', 'second', 'third']);
    await opened(socket);
    expect([socket.protocol, socket.extensions]).toEqual(['third', 'permessage-deflate']);
  });

  it.each([
    [1000, 'done'],
    [1001, 'leaving'],
    [4999, 'ours'],
  ])('carries the client’s close %i with its reason', async (code, reason) => {
    const { gateway, server } = await openEcho();
    const heard = new Promise((resolve) =>
      server.once('connection', (socket) =>
        socket.once('close', (...args) => resolve([args[0], args[1].toString()])),
      ),
    );
    const socket = open(gateway);
    await opened(socket);
    const end = ended(socket);
    socket.close(code, reason);
    expect([await heard, await end]).toEqual([
      [code, reason],
      [code, reason],
    ]);
    await until(() => gateway.tunnels.count === 0);
  });

  it('carries the server’s close', async () => {
    const { gateway, server } = await openEcho();
    server.once('connection', (socket) => socket.close(4001, 'go away'));
    expect(await ended(open(gateway))).toEqual([4001, 'go away']);
  });

  it('keeps a hundred apart', async () => {
    const { gateway } = await openEcho();
    const sockets = Array.from({ length: 100 }, () => open(gateway));
    await Promise.all(sockets.map(opened));
    expect(gateway.tunnels.count).toBe(100);
    const answers = await Promise.all(
      sockets.map(async (socket, index) => {
        const answer = next(socket);
        socket.send(`number ${index}`);
        return String((await answer)[0]);
      }),
    );
    expect(answers).toEqual(sockets.map((_, index) => `number ${index}`));
  });

  it('delivers what the client sent right behind its handshake', async () => {
    const { gateway } = await openEcho();
    const client = await RawClient.open(gateway.port);
    closing.push(() => client.close());
    const mask = [1, 2, 3, 4];
    const payload = [...Buffer.from('early')].map(
      (byte, index) => byte ^ (mask[index % 4] as number),
    );
    client.send(HANDSHAKE + String.fromCharCode(0x81, 0x85, ...mask, ...payload));
    await client.wait((each) => each.received.endsWith('early'));
  });

  it('is metered: one question to the limiter, and its fields in the 101', async () => {
    const { gateway } = await openEcho();
    const { answer, client } = await exchange(gateway.port, HANDSHAKE);
    closing.push(() => client.close());
    expect(answer).toMatchObject({
      status: 101,
      fields: {
        upgrade: 'websocket',
        connection: 'upgrade',
        'sec-websocket-accept': 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
        'x-ratelimit-limit': '100',
        'x-request-id': expect.any(String),
      },
    });
    expect(gateway.asked).toMatchObject([{ kind: 'upgrade', path: '/socket', method: 'GET' }]);
    expect(gateway.observed).toMatchObject([{ status: 101 }]);
  });

  it('tells the server where the client comes from', async () => {
    const { gateway, server } = await openEcho();
    const asked = new Promise<Record<string, unknown>>((resolve) =>
      server.once('connection', (_socket, request) => resolve(request.headers)),
    );
    await opened(open(gateway));
    expect(await asked).toMatchObject({
      upgrade: 'websocket',
      'x-forwarded-for': '127.0.0.1',
      via: '1.1 gatepost',
      'x-request-id': expect.any(String),
    });
  });

  it('is refused with 429 like any request', async () => {
    const { gateway, server } = await openEcho({ limit: async () => refuse });
    const { answer, client } = await exchange(gateway.port, HANDSHAKE);
    expect(answer).toMatchObject({
      status: 429,
      fields: { 'retry-after': '7', connection: 'close' },
    });
    await client.wait((each) => each.hasEnded);
    client.close();
    expect([server.clients.size, gateway.pipeline.inFlight]).toEqual([0, 0]);
  });

  it('passes a server’s refusal on as it is', async () => {
    const upstream = await openUpstream((_request, response) => {
      response.writeHead(403, { 'x-why': 'no sockets here' });
      response.end('forbidden');
    });
    closing.push(() => upstream.close());
    const gateway = await openGateway({ upstream: upstream.origin });
    closing.push(() => gateway.close());
    const { answer, client } = await exchange(gateway.port, HANDSHAKE);
    expect(answer).toMatchObject({
      status: 403,
      body: 'forbidden',
      fields: { 'x-why': 'no sockets here', 'x-ratelimit-limit': '100', connection: 'close' },
    });
    await client.wait((each) => each.hasEnded);
    client.close();
    await until(() => gateway.pipeline.inFlight === 0);
  });

  it('never tunnels to a server that did not agree', async () => {
    const seen: string[] = [];
    const upstream = await openRawUpstream((socket, received) => {
      seen.push(received);
      socket.write('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n');
    });
    closing.push(() => upstream.close());
    const gateway = await openGateway({ upstream: upstream.origin });
    closing.push(() => gateway.close());
    const client = await RawClient.open(gateway.port);
    client.send(`${HANDSHAKE}GET /hidden HTTP/1.1\r\nHost: internal\r\n\r\n`);
    expect(await client.answer()).toMatchObject({ status: 426 });
    client.send('GET /hidden HTTP/1.1\r\nHost: internal\r\n\r\n');
    await client.wait((each) => each.hasEnded);
    client.close();
    expect(seen.join('')).not.toContain('hidden');
  });

  it('answers 502 when nobody is there', async () => {
    const gateway = await openGateway({ upstream: 'http://127.0.0.1:1' });
    closing.push(() => gateway.close());
    const { answer, client } = await exchange(gateway.port, HANDSHAKE);
    client.close();
    expect(answer).toMatchObject({ status: 502, fields: { 'x-ratelimit-limit': '100' } });
  });

  it('ends after a long silence, on both sides', async () => {
    const { gateway, server } = await openEcho({ tunnelIdleMs: 150 });
    const socket = open(gateway);
    await opened(socket);
    const [code] = await ended(socket);
    expect(code).toBe(1006);
    await until(() => server.clients.size === 0 && gateway.tunnels.count === 0);
  });

  it('ends on the other side when one side vanishes', async () => {
    const { gateway, server } = await openEcho();
    const socket = open(gateway);
    await opened(socket);
    socket.terminate();
    await until(() => server.clients.size === 0 && gateway.tunnels.count === 0);
    const second = open(gateway);
    await opened(second);
    for (const each of server.clients) each.terminate();
    expect((await ended(second))[0]).toBe(1006);
  });

  it('leaves no upgrade behind when the client vanishes while it waits', async () => {
    const sockets: Socket[] = [];
    const upstream = await openRawUpstream((socket) => void sockets.push(socket));
    closing.push(() => upstream.close());
    const gateway = await openGateway({ upstream: upstream.origin });
    closing.push(() => gateway.close());
    const client = await RawClient.open(gateway.port);
    client.send(HANDSHAKE);
    await until(() => sockets.length === 1);
    client.close();
    await until(() => sockets[0]?.destroyed === true && gateway.pipeline.inFlight === 0);
  });
});

describe('a tunnel', () => {
  const AGREED =
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';

  async function openTunnel(afterwards: (socket: Socket, received: string) => void) {
    const agreed = new Set<Socket>();
    const upstream = await openRawUpstream((socket, received) => {
      if (agreed.has(socket)) afterwards(socket, received);
      else {
        agreed.add(socket);
        socket.removeAllListeners('end');
        socket.on('end', () => afterwards(socket, ''));
        socket.write(AGREED);
      }
    });
    closing.push(() => upstream.close());
    const gateway = await openGateway({ upstream: upstream.origin, limit: async () => admit });
    closing.push(() => gateway.close());
    const { client } = await exchange(gateway.port, HANDSHAKE);
    closing.push(() => client.close());
    return { client, gateway, upstream };
  }

  it('passes the end of one direction on and keeps the other open', async () => {
    const { client, gateway } = await openTunnel((socket, received) => {
      if (received === '') socket.end('last words');
    });
    client.send('question');
    client.socket.end();
    await client.wait((each) => each.hasEnded);
    expect(client.received).toBe('last words');
    await until(() => gateway.tunnels.count === 0);
  });

  it('passes the server’s end on and still delivers what the client says then', async () => {
    let heard = '';
    const { client, gateway, upstream } = await openTunnel((socket, received) => {
      if (heard === '') socket.end();
      heard += received;
    });
    client.send('1');
    await client.wait((each) => each.hasEnded);
    client.send('2');
    client.socket.end();
    await until(() => heard === '12');
    await until(() => gateway.tunnels.count === 0);
    expect(upstream.connections).toHaveLength(1);
  });

  it('slows down a side whose other side does not read', async () => {
    let written = 0;
    const { client } = await openTunnel((socket) => {
      const chunk = Buffer.alloc(65_536);
      const pour = () => {
        do written += chunk.length;
        while (socket.write(chunk) && written < 128 * 1024 * 1024);
      };
      socket.on('drain', pour);
      pour();
    });
    client.socket.pause();
    client.send('pour');
    let before = -1;
    await until(() => {
      const isStill = written > 0 && written === before;
      before = written;
      return isStill;
    });
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });
});
