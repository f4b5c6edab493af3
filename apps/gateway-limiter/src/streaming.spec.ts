import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { until } from '@gatepost/test-services';
import { type GatewayUnderTest, openGateway } from './testing/open-gateway.ts';
import { RawClient } from './testing/raw-client.ts';
import { openUpstream, type Upstream } from './testing/upstream.ts';

const HOST = 'Host: links.example\r\n';

describe('streams', () => {
  let upstream: Upstream | undefined;
  let gateway: GatewayUnderTest | undefined;
  let client: RawClient | undefined;

  afterEach(async () => {
    client?.close();
    await gateway?.close();
    await upstream?.close();
  });

  it('the head and each event of an event stream leave at once', async () => {
    const tellMore: (() => void)[] = [];
    upstream = await openUpstream(undefined, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      tellMore.push(() => void response.write('data: 1\n\n'));
    });
    gateway = await openGateway({ upstream: upstream.origin });
    client = await RawClient.open(gateway.port);
    client.send(`GET /events HTTP/1.1\r\n${HOST}\r\n`);
    await client.wait((each) => each.received.includes('\r\n\r\n'));
    expect(client.received).toContain('text/event-stream');
    tellMore[0]?.();
    await client.wait((each) => each.received.includes('data: 1'));
  });

  it('a large body arrives byte for byte in both directions', async () => {
    upstream = await openUpstream(undefined, (request, response) => void request.pipe(response));
    gateway = await openGateway({ upstream: upstream.origin, options: { maxBodyBytes: 0 } });
    const sent = randomBytes(8 * 1024 * 1024);
    const received = await new Promise<Buffer>((resolve, reject) => {
      const outgoing = httpRequest(
        { port: gateway?.port, method: 'POST', path: '/echo' },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part) => parts.push(part));
          response.on('end', () => resolve(Buffer.concat(parts)));
          response.on('error', reject);
        },
      );
      outgoing.on('error', reject).end(sent);
    });
    expect(received.equals(sent)).toBe(true);
  });

  it('a client that does not read slows the upstream down', async () => {
    let written = 0;
    let isPaused = false;
    upstream = await openUpstream(undefined, (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const pour = () => {
        while (written < 256 * 1024 * 1024) {
          written += chunk.length;
          if (!response.write(chunk)) {
            isPaused = true;
            response.once('drain', () => {
              isPaused = false;
              pour();
            });
            return;
          }
        }
      };
      pour();
    });
    gateway = await openGateway({ upstream: upstream.origin });
    client = await RawClient.open(gateway.port);
    client.socket.pause();
    client.send(`GET /endless HTTP/1.1\r\n${HOST}\r\n`);
    let before = -1;
    await until(() => {
      const isStill = isPaused && written === before;
      before = written;
      return isStill;
    });
    expect(written).toBeLessThan(32 * 1024 * 1024);
    client.socket.resume();
    const stalledAt = written;
    await until(() => written > stalledAt);
  });

  it('an upstream that does not read slows the client down', async () => {
    upstream = await openUpstream(undefined, (request) => void request.pause());
    gateway = await openGateway({ upstream: upstream.origin, options: { maxBodyBytes: 0 } });
    client = await RawClient.open(gateway.port);
    client.send(`POST /sink HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
    let sent = 0;
    while (sent < 64 * 1024 * 1024) {
      sent += chunk.length;
      if (!client.socket.write(chunk, 'latin1')) {
        const drained = await Promise.race([
          new Promise((resolve) => client?.socket.once('drain', () => resolve(true))),
          new Promise((resolve) => setTimeout(() => resolve(false), 500)),
        ]);
        if (!drained) break;
      }
    }
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it('a client that leaves ends the request upstream', async () => {
    let isAborted = false;
    upstream = await openUpstream(undefined, (_request, response) => {
      response.writeHead(200);
      response.write('begin');
      response.on('close', () => {
        isAborted = !response.writableFinished;
      });
    });
    gateway = await openGateway({ upstream: upstream.origin });
    client = await RawClient.open(gateway.port);
    client.send(`GET /long HTTP/1.1\r\n${HOST}\r\n`);
    await client.wait((each) => each.received.includes('begin'));
    client.close();
    await until(() => isAborted);
    await until(() => gateway?.observed.length === 1);
    expect(gateway.observed[0]).toMatchObject({ isGone: true });
    expect(gateway.pipeline.inFlight).toBe(0);
  });

  it('a client that leaves in the middle of its body ends the request upstream', async () => {
    let isAborted = false;
    upstream = await openUpstream(undefined, (request) => {
      request.resume().on('error', () => undefined);
      request.on('close', () => {
        isAborted = !request.complete;
      });
    });
    gateway = await openGateway({ upstream: upstream.origin });
    client = await RawClient.open(gateway.port);
    client.send(`POST /up HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\nhalf`);
    await until(() => (upstream?.connections ?? 0) > 0);
    client.close();
    await until(() => isAborted);
  });

  it('a client that leaves is not held against the upstream', async () => {
    upstream = await openUpstream(undefined, (request) => void request.resume());
    gateway = await openGateway({
      upstream: {
        pools: {
          only: { peers: [upstream.origin, upstream.origin], outlier: { failures: 1 } },
        },
        routes: [{ name: 'only', pool: 'only' }],
      },
    });
    for (const round of [1, 2]) {
      client = await RawClient.open(gateway.port);
      client.send(`POST /up HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\nhalf`);
      await until(() => upstream?.connections === round);
      client.close();
      await until(() => gateway?.observed.length === round);
    }
    expect(gateway.observed.map(({ retries }) => retries)).toEqual([0, 0]);
    const [pool] = [...gateway.upstreams.allPools];
    const ejected = pool?.peers.map((peer) => peer.health.isEjected(performance.now()));
    expect(ejected).toEqual([false, false]);
  });

  it('a client that leaves before the answer leaves no request behind', async () => {
    let isAborted = false;
    let isAsked = false;
    upstream = await openUpstream(undefined, (_request, response) => {
      isAsked = true;
      response.on('close', () => {
        isAborted = true;
      });
    });
    gateway = await openGateway({ upstream: upstream.origin });
    client = await RawClient.open(gateway.port);
    client.send(`GET /never HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => isAsked);
    client.close();
    await until(() => isAborted);
  });

  it('an upstream that answers before the body is whole is heard', async () => {
    upstream = await openUpstream(undefined, (_request, response) => {
      response.writeHead(403, { 'content-length': '2', connection: 'close' });
      response.end('no');
    });
    gateway = await openGateway({ upstream: upstream.origin, options: { maxBodyBytes: 0 } });
    client = await RawClient.open(gateway.port);
    client.send(`POST /up HTTP/1.1\r\n${HOST}Content-Length: 100000000\r\n\r\n`);
    client.send('a'.repeat(100_000));
    const answer = await client.answer();
    expect(answer).toMatchObject({ status: 403, body: 'no' });
    await client.wait((each) => each.hasEnded);
  });

  describe('limits', () => {
    it('a body that announces too much is refused unread', async () => {
      upstream = await openUpstream();
      gateway = await openGateway({ upstream: upstream.origin, options: { maxBodyBytes: 1_000 } });
      client = await RawClient.open(gateway.port);
      client.send(`POST /up HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n`);
      expect(await client.answer()).toMatchObject({
        status: 413,
        fields: { connection: 'close', 'x-ratelimit-limit': '100' },
      });
      expect(upstream.seen).toEqual([]);
    });

    it('a body that becomes too much is refused on the way', async () => {
      upstream = await openUpstream();
      gateway = await openGateway({ upstream: upstream.origin, options: { maxBodyBytes: 1_000 } });
      client = await RawClient.open(gateway.port);
      client.send(`POST /up HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
      client.send(`7d0\r\n${'a'.repeat(2_000)}\r\n`);
      expect(await client.answer()).toMatchObject({ status: 413, fields: { connection: 'close' } });
      expect(upstream.seen).toEqual([]);
    });

    it('the answer arrives although the client goes on sending', async () => {
      upstream = await openUpstream();
      gateway = await openGateway({ upstream: upstream.origin, options: { maxBodyBytes: 1_000 } });
      client = await RawClient.open(gateway.port);
      let error: unknown;
      client.socket.on('error', (each) => {
        error = each;
      });
      client.send(`POST /up HTTP/1.1\r\n${HOST}Content-Length: 4000000\r\n\r\n`);
      for (let sent = 0; sent < 40; sent++) client.send('a'.repeat(100_000));
      expect(await client.answer()).toMatchObject({ status: 413 });
      expect(error).toBeUndefined();
    });

    it('half a head is closed in bounded time, with an answer', async () => {
      upstream = await openUpstream();
      gateway = await openGateway({ upstream: upstream.origin, door: { headerTimeoutMs: 500 } });
      client = await RawClient.open(gateway.port);
      client.send(`GET /slow HTTP/1.1\r\n${HOST}`);
      expect(await client.answer()).toMatchObject({
        status: 408,
        fields: { connection: 'close', 'x-ratelimit-limit': '100' },
      });
      await client.wait((each) => each.hasEnded);
    });

    it('a connection that never asks is closed without a word', async () => {
      upstream = await openUpstream();
      gateway = await openGateway({ upstream: upstream.origin, door: { headerTimeoutMs: 500 } });
      client = await RawClient.open(gateway.port);
      await client.wait((each) => each.isClosed || each.hasEnded);
      expect(client.received).toBe('');
    });

    it('a body that stops is closed in bounded time, with an answer', async () => {
      upstream = await openUpstream();
      gateway = await openGateway({ upstream: upstream.origin, options: { bodyIdleMs: 200 } });
      client = await RawClient.open(gateway.port);
      client.send(`POST /slow HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\nhalf`);
      expect(await client.answer()).toMatchObject({ status: 408, fields: { connection: 'close' } });
      await client.wait((each) => each.hasEnded);
    });

    it('a body that drips is closed in bounded time, with an answer', async () => {
      upstream = await openUpstream();
      gateway = await openGateway({
        upstream: upstream.origin,
        door: { requestTimeoutMs: 600, headerTimeoutMs: 500 },
      });
      client = await RawClient.open(gateway.port);
      client.send(`POST /slow HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n`);
      const drip = setInterval(() => client?.send('a'), 50);
      const answer = await client.answer();
      clearInterval(drip);
      expect(answer).toMatchObject({ status: 408, fields: { connection: 'close' } });
    });
  });
});
