import { connect } from 'node:net';
import { until } from '@gatepost/test-services';
import { runs, withFuzzTime } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { WebSocketServer } from 'ws';
import { type GatewayUnderTest, openGateway } from './testing/open-gateway.ts';
import { exchange } from './testing/raw-client.ts';
import { openUpstream, type Upstream } from './testing/upstream.ts';

const HOST = 'Host: links.example\r\n';

/** What conversations are put together from: whole requests, halves, and what does not belong anywhere. */
const PIECES = [
  `GET /a HTTP/1.1\r\n${HOST}\r\n`,
  `GET /slow HTTP/1.1\r\n${HOST}\r\n`,
  `GET /cut HTTP/1.1\r\n${HOST}\r\n`,
  `HEAD /a HTTP/1.1\r\n${HOST}\r\n`,
  `GET /a HTTP/1.0\r\n\r\n`,
  `GET /a HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  `POST /a HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`,
  `POST /a HTTP/1.1\r\n${HOST}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`,
  `POST /early HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\nhello`,
  `POST /a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `POST /a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`,
  `POST /a HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
  `GET /socket HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  `GET /a HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: h2c\r\n\r\n`,
  `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`,
  `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  `TRACE /a HTTP/1.1\r\n${HOST}Max-Forwards: 0\r\n\r\n`,
  `GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
  'GET /a HTTP/1.1\r\nHo',
  '\x81\x85\x01\x02\x03\x04abcde',
  '\x00\xff\r\n\r\n',
  '\r\n',
  'hello',
  '0\r\n\r\n',
];

describe('a gateway that is sent anything', () => {
  let upstream: Upstream;
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    upstream = await openUpstream(undefined, (request, response) => {
      request.on('error', () => undefined);
      if (request.url === '/early') {
        response.end('no');
        return;
      }
      request.resume().on('end', () => {
        if (request.url === '/cut') {
          response.writeHead(200, { 'content-length': '100' });
          response.write('half');
          setImmediate(() => response.destroy());
        } else if (request.url === '/slow') setTimeout(() => response.end('slow'), 20);
        else response.end('ok');
      });
    });
    const sockets = new WebSocketServer({ server: upstream.server });
    sockets.on('connection', (socket) => socket.on('error', () => undefined));
    gateway = await openGateway({ upstream: upstream.origin, options: { bodyIdleMs: 500 } });
  });

  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  /** Sends the parts, with or without pauses, then ends, resets, or waits for the other side. */
  function converse(parts: readonly string[], pauses: boolean, ending: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
      const limit = setTimeout(() => socket.destroy(), 300);
      socket.resume().on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(limit);
        resolve();
      });
      const send = (index: number): void => {
        const part = parts[index];
        if (part === undefined) {
          if (ending === 'end') socket.end();
          if (ending === 'reset') socket.resetAndDestroy();
          return;
        }
        socket.write(Buffer.from(part, 'latin1'));
        if (pauses) setImmediate(() => send(index + 1));
        else send(index + 1);
      };
      socket.on('connect', () => send(0));
      socket.on('end', () => socket.end());
    });
  }

  const conversation = fc.record({
    parts: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }),
    pauses: fc.boolean(),
    ending: fc.constantFrom('end', 'reset', 'wait'),
  });

  it(
    'goes on serving and keeps nothing of it',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(conversation, { minLength: 8, maxLength: 8 }), async (all) => {
          await Promise.all(all.map((each) => converse(each.parts, each.pauses, each.ending)));
          const { answer, client } = await exchange(gateway.port, PIECES[0] as string);
          client.close();
          expect(answer).toMatchObject({ status: 200, body: 'ok' });
        }),
        runs(40),
      );
      const [pool] = [...gateway.upstreams.allPools];
      await until(
        () =>
          gateway.pipeline.inFlight === 0 &&
          gateway.tunnels.count === 0 &&
          pool?.peers[0]?.inFlight === 0,
      );
      expect(gateway.log()).toBe('');
    },
    withFuzzTime(60_000),
  );
});
