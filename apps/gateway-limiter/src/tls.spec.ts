import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { WebSocket, WebSocketServer } from 'ws';
import { openGateway } from './testing/open-gateway.ts';
import { exchange } from './testing/raw-client.ts';
import { createSelfSigned } from './testing/self-signed.ts';
import { openUpstream } from './testing/upstream.ts';

const identity = createSelfSigned(['localhost']);
const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openTlsGateway(upstream: string) {
  const gateway = await openGateway({ upstream, door: { tls: identity } });
  closing.push(() => gateway.close());
  return gateway;
}

/** Sends bytes over TLS and collects what comes until the gateway has no more to say. */
function speak(port: number, bytes: string, until: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: identity.cert });
    socket.on('secureConnect', () => socket.write(bytes, 'latin1'));
    socket.setEncoding('latin1').on('data', (part) => {
      received += part;
      if (!until.test(received)) return;
      socket.destroy();
      resolve(received);
    });
    socket.on('error', reject).on('close', () => reject(new Error(`closed after: ${received}`)));
  });
}

describe('the door with a certificate', () => {
  it('tells the upstream that the client came by https', async () => {
    const upstream = await openUpstream();
    closing.push(() => upstream.close());
    const gateway = await openTlsGateway(upstream.origin);
    const status = await new Promise((resolve, reject) =>
      request(
        { port: gateway.port, host: '127.0.0.1', servername: 'localhost', ca: identity.cert },
        (response) => resolve(response.resume().statusCode),
      )
        .on('error', reject)
        .end(),
    );
    expect(status).toBe(200);
    expect(upstream.seen[0]?.headers).toMatchObject({
      'x-forwarded-proto': 'https',
      forwarded: expect.stringContaining('proto=https'),
    });
  });

  it('answers broken requests with the rate fields', async () => {
    const gateway = await openTlsGateway('http://127.0.0.1:1');
    const answer = await speak(gateway.port, 'NONSENSE\r\n\r\n', /\r\n\r\n/);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*X-RateLimit-Limit: 100/);
  });

  it('ignores an offer of another protocol', async () => {
    const upstream = await openUpstream();
    closing.push(() => upstream.close());
    const gateway = await openTlsGateway(upstream.origin);
    const answer = await speak(
      gateway.port,
      'POST /a HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi',
      /"body":"hi"/,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
  });

  it('carries WebSockets', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
    await new Promise((resolve) => server.once('listening', resolve));
    closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const gateway = await openTlsGateway(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    const socket = new WebSocket(`wss://localhost:${gateway.port}/`, { ca: identity.cert });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const answer = new Promise((resolve) => socket.once('message', (data) => resolve(`${data}`)));
    socket.send('hello');
    expect(await answer).toBe('hello');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.close();
    await closed;
  });
});

describe('an upstream with a certificate', () => {
  it('is not believed when nobody vouches for it', async () => {
    let asked = 0;
    const server = createServer({ ...identity }, (_request, response) => {
      asked++;
      response.end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise<void>((resolve) => void server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const gateway = await openGateway({ upstream: `https://localhost:${port}` });
    closing.push(() => gateway.close());
    const { answer, client } = await exchange(
      gateway.port,
      'GET / HTTP/1.1\r\nHost: links.example\r\n\r\n',
    );
    client.close();
    expect([answer.status, asked]).toEqual([502, 0]);
  });
});
