import type { Socket } from 'node:net';
import { until } from '@gatepost/test-services';
import { type GatewayUnderTest, openGateway } from './testing/open-gateway.ts';
import { exchange, RawClient } from './testing/raw-client.ts';
import { openRawUpstream, openUpstream } from './testing/upstream.ts';

const HOST = 'Host: links.example\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function remember<T extends { close(): Promise<void> }>(opened: T): T {
  closing.push(() => opened.close());
  return opened;
}

async function ask(gateway: GatewayUnderTest, method: string, body = '') {
  const framing = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
  const { answer, client } = await exchange(
    gateway.port,
    `${method} /a HTTP/1.1\r\n${HOST}${framing}\r\n${body}`,
  );
  client.close();
  return answer;
}

/** Serves the first request of each connection and hangs up on the second, as a server does that just restarted. */
function staleAfterOne(): (socket: Socket) => void {
  const served = new Set<Socket>();
  return (socket) => {
    if (served.has(socket)) socket.destroy();
    else {
      served.add(socket);
      socket.write(OK);
    }
  };
}

describe('a second attempt', () => {
  it('saves a request that met a stale connection, on a fresh one', async () => {
    const upstream = remember(await openRawUpstream(staleAfterOne()));
    const gateway = remember(await openGateway({ upstream: upstream.origin }));
    const answers = [await ask(gateway, 'GET'), await ask(gateway, 'GET')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await until(() => gateway.observed.length === 2);
    expect(gateway.observed.map(({ retries }) => retries)).toEqual([0, 1]);
    expect(upstream.connections).toHaveLength(2);
  });

  it('is not made for what may not happen twice', async () => {
    for (const [method, body] of [
      ['POST', ''],
      ['PATCH', ''],
      ['PUT', 'body'],
    ] as const) {
      const upstream = remember(await openRawUpstream(staleAfterOne()));
      const gateway = remember(await openGateway({ upstream: upstream.origin }));
      await ask(gateway, 'GET');
      expect(await ask(gateway, method, body)).toMatchObject({ status: 502 });
      expect(upstream.connections).toHaveLength(1);
    }
  });

  it('is made once only', async () => {
    let asked = 0;
    const upstream = remember(
      await openRawUpstream((socket) => {
        asked++;
        socket.destroy();
      }),
    );
    const gateway = remember(await openGateway({ upstream: upstream.origin }));
    expect(await ask(gateway, 'GET')).toMatchObject({ status: 502 });
    expect(asked).toBe(2);
  });

  it.each([429, 500, 502, 503])('is not made for an answer of %i', async (status) => {
    const upstream = remember(
      await openUpstream((_request, response) => {
        response.statusCode = status;
        response.setHeader('retry-after', '1');
        response.end();
      }),
    );
    const gateway = remember(await openGateway({ upstream: upstream.origin }));
    expect(await ask(gateway, 'GET')).toMatchObject({ status, fields: { 'retry-after': '1' } });
    expect(upstream.seen).toHaveLength(1);
  });

  it('is not made once the answer has begun', async () => {
    let asked = 0;
    const upstream = remember(
      await openRawUpstream((socket) => {
        asked++;
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
      }),
    );
    const gateway = remember(await openGateway({ upstream: upstream.origin }));
    const client = await RawClient.open(gateway.port);
    client.send(`GET /a HTTP/1.1\r\n${HOST}\r\n`);
    await client.wait(() => client.isClosed || client.hasEnded);
    client.close();
    expect(asked).toBe(1);
  });

  it('is not made for an upstream that does not answer in time', async () => {
    let asked = 0;
    const upstream = remember(
      await openRawUpstream(() => {
        asked++;
      }),
    );
    const gateway = remember(
      await openGateway({
        upstream: {
          pools: { only: { peers: [upstream.origin], headTimeoutMs: 300 } },
          routes: [{ name: 'only', pool: 'only' }],
        },
      }),
    );
    expect(await ask(gateway, 'GET')).toMatchObject({ status: 504 });
    expect(asked).toBe(1);
  });

  it('goes to another peer where one cannot be reached, whatever the method', async () => {
    const upstream = remember(await openUpstream());
    const gateway = remember(
      await openGateway({
        upstream: {
          pools: { two: { peers: ['http://127.0.0.1:1', upstream.origin] } },
          routes: [{ name: 'two', pool: 'two' }],
        },
      }),
    );
    for (const method of ['GET', 'POST', 'PATCH', 'GET'])
      expect(await ask(gateway, method)).toMatchObject({ status: 200 });
    // A body is whole as long as no connection has taken it.
    for (const method of ['POST', 'PUT', 'POST', 'PATCH'])
      expect(await ask(gateway, method, 'the body')).toMatchObject({ status: 200 });
    expect(upstream.seen.map(({ body }) => body).slice(4)).toEqual(Array(4).fill('the body'));
  });

  it('is kept within a budget when everything fails', async () => {
    let asked = 0;
    const upstream = remember(
      await openRawUpstream((socket) => {
        asked++;
        socket.destroy();
      }),
    );
    const gateway = remember(await openGateway({ upstream: upstream.origin }));
    for (let count = 0; count < 100; count++) await ask(gateway, 'GET');
    // The savings of 20, and one for ten of the hundred.
    expect(asked).toBeGreaterThanOrEqual(120);
    expect(asked).toBeLessThanOrEqual(131);
  });
});
