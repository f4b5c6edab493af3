import { routing } from './forwarding/routes.ts';
import { type GatewayUnderTest, openGateway, refuse } from './testing/open-gateway.ts';
import { exchange, RawClient } from './testing/raw-client.ts';
import { openRawUpstream, openUpstream, type Upstream } from './testing/upstream.ts';

const HOST = 'Host: links.example\r\n';
const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\n${HOST}${fields}\r\n`;

describe('the proxy', () => {
  let upstream: Upstream;
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    upstream = await openUpstream((request, response, seen) => {
      const { searchParams, pathname } = new URL(request.url ?? '', 'http://x');
      for (const [name, value] of searchParams) response.appendHeader(name, value);
      if (pathname.startsWith('/status/')) response.statusCode = Number(pathname.slice(8));
      if (pathname === '/hints')
        response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      if (pathname === '/trailers') {
        response.setHeader('trailer', 'Grpc-Status, Set-Cookie');
        response.write('body');
        response.addTrailers({ 'Grpc-Status': '0', 'Set-Cookie': 'forged=1' });
        response.end();
        return;
      }
      if (pathname === '/unsized') {
        response.write('part ');
        response.end('whole');
        return;
      }
      response.end(JSON.stringify(seen));
    });
    gateway = await openGateway({ upstream: upstream.origin });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  describe('on the way there', () => {
    it('forwards the target in the client’s own bytes', async () => {
      const target = '/%61bc;v=1/?a=%2e%2e/&b="<>&c=\\';
      const { answer, client } = await exchange(gateway.port, get(target));
      client.close();
      expect(JSON.parse(answer.body)).toMatchObject({ url: target });
      expect(gateway.asked.at(-1)).toMatchObject({ path: '/abc;v=1/', host: 'links.example' });
    });

    it('turns an absolute form into a path and its host into Host', async () => {
      const { answer, client } = await exchange(
        gateway.port,
        'GET http://other.example:81/a?b HTTP/1.1\r\nHost: links.example\r\n\r\n',
      );
      client.close();
      expect(JSON.parse(answer.body)).toMatchObject({
        url: '/a?b',
        headers: { host: 'other.example:81', 'x-forwarded-host': 'other.example:81' },
      });
    });

    it('answers Expect: 100-continue itself and does not pass it on', async () => {
      const client = await RawClient.open(gateway.port);
      client.send(`POST /a HTTP/1.1\r\n${HOST}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`);
      expect(await client.answer()).toMatchObject({ status: 100 });
      client.send('hello');
      const answer = await client.answer();
      client.close();
      const seen = JSON.parse(answer.body);
      expect(seen).toMatchObject({ body: 'hello' });
      expect(seen.headers).not.toHaveProperty('expect');
    });

    it('carries a body of any method, with a length or in chunks', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'PROPFIND']) {
        for (const framed of [
          'Content-Length: 5\r\n\r\nhello',
          'Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n',
        ]) {
          const { answer, client } = await exchange(
            gateway.port,
            `${method} /a HTTP/1.1\r\n${HOST}${framed}`,
          );
          client.close();
          expect(JSON.parse(answer.body)).toMatchObject({ method, body: 'hello' });
        }
      }
    });

    it('keeps a POST without a body one', async () => {
      const { answer, client } = await exchange(
        gateway.port,
        `POST /a HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`,
      );
      client.close();
      expect(JSON.parse(answer.body)).toMatchObject({
        method: 'POST',
        body: '',
        headers: { 'content-length': '0' },
      });
    });

    it('passes methods on that the framework’s router does not know', async () => {
      for (const method of ['TRACE', 'PROPFIND', 'M-SEARCH', 'PURGE', 'REPORT']) {
        const { answer, client } = await exchange(
          gateway.port,
          `${method} /a HTTP/1.1\r\n${HOST}\r\n`,
        );
        client.close();
        expect(JSON.parse(answer.body)).toMatchObject({ method });
      }
    });

    it('answers OPTIONS * itself, limited like anything else', async () => {
      const { answer, client } = await exchange(gateway.port, `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`);
      client.close();
      expect(answer).toMatchObject({ status: 204, fields: { 'x-ratelimit-limit': '100' } });
    });

    it('is the last hop when Max-Forwards says so', async () => {
      const before = upstream.seen.length;
      const { answer, client } = await exchange(
        gateway.port,
        `OPTIONS /a HTTP/1.1\r\n${HOST}Max-Forwards: 0\r\n\r\n`,
      );
      client.close();
      expect([answer.status, upstream.seen.length]).toEqual([204, before]);
    });

    it('ignores an offer of h2c, bodies included, as Java’s client makes it', async () => {
      const offer =
        'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n';
      const client = await RawClient.open(gateway.port);
      client.send(`POST /a HTTP/1.1\r\n${HOST}${offer}Content-Length: 10\r\n\r\nhello`);
      client.send('again');
      const seen = JSON.parse((await client.answer()).body);
      expect(seen).toMatchObject({ method: 'POST', body: 'helloagain' });
      expect(seen.headers).not.toHaveProperty('http2-settings');
      client.send(get('/next'));
      expect(JSON.parse((await client.answer()).body)).toMatchObject({ url: '/next' });
      client.close();
    });
  });

  describe('on the way back', () => {
    it('carries the rate fields once, whatever the upstream says of its own', async () => {
      const { answer, client } = await exchange(
        gateway.port,
        get('/a?x-ratelimit-limit=7&X-RateLimit-Remaining=6&ratelimit=x'),
      );
      client.close();
      expect(answer.fields).toMatchObject({
        'x-ratelimit-limit': '100',
        'x-ratelimit-remaining': '99',
        'x-ratelimit-reset': '1792500000',
        ratelimit: '"second";r=99;t=1',
        'x-content-type-options': 'nosniff',
        via: '1.1 gatepost',
      });
    });

    it('says the same request id to both sides', async () => {
      const { answer, client } = await exchange(
        gateway.port,
        get('/a', 'X-Request-Id: mine-12345\r\n'),
      );
      client.close();
      const id = answer.fields['x-request-id'];
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(JSON.parse(answer.body).headers).toMatchObject({ 'x-request-id': id });
    });

    it.each([200, 201, 301, 404, 418, 429, 500, 888])('passes status %i on', async (status) => {
      const { answer, client } = await exchange(gateway.port, get(`/status/${status}`));
      client.close();
      expect(answer.status).toBe(status);
    });

    it.each([204, 304])('keeps %i without a body, and the connection usable', async (status) => {
      const { answer, client } = await exchange(gateway.port, get(`/status/${status}`));
      expect(answer).toMatchObject({ status, body: '' });
      expect(answer.fields).not.toHaveProperty('transfer-encoding');
      client.send(get('/next'));
      expect(await client.answer()).toMatchObject({ status: 200 });
      client.close();
    });

    it('keeps the length of a HEAD answer, sends no body and keeps the upstream’s connection', async () => {
      const client = await RawClient.open(gateway.port);
      const head = `HEAD /a?content-length=1234 HTTP/1.1\r\n${HOST}\r\n`;
      client.send(head);
      await client.wait(() => client.received.endsWith('\r\n\r\n'));
      const { connections } = upstream;
      client.received = '';
      client.send(head);
      await client.wait(() => client.received.endsWith('\r\n\r\n'));
      expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 1234\r\n/);
      expect(upstream.connections).toBe(connections);
      client.close();
    });

    it('passes trailers on, but none that would change the answer', async () => {
      const client = await RawClient.open(gateway.port);
      client.send(get('/trailers', 'TE: trailers\r\n'));
      await client.wait(
        () => client.received.endsWith('\r\n\r\n') && client.received.includes('0\r\n'),
      );
      expect(client.received).toMatch(/\r\n0\r\nGrpc-Status: 0\r\n\r\n$/);
      expect(client.received).not.toContain('forged');
      client.close();
    });

    it('passes early hints on', async () => {
      const client = await RawClient.open(gateway.port);
      client.send(get('/hints'));
      expect(await client.answer()).toMatchObject({
        status: 103,
        fields: { link: '</style.css>; rel=preload; as=style' },
      });
      expect(await client.answer()).toMatchObject({ status: 200 });
      client.close();
    });

    it('keeps interim answers from HTTP/1.0', async () => {
      const { answer, client } = await exchange(gateway.port, 'GET /hints HTTP/1.0\r\n\r\n');
      client.close();
      expect(answer.status).toBe(200);
    });
  });

  describe('the client’s connection', () => {
    it('goes on after an answer', async () => {
      const { client } = await exchange(gateway.port, get('/1'));
      client.send(get('/2'));
      expect(await client.answer()).toMatchObject({
        status: 200,
        fields: { connection: 'keep-alive' },
      });
      client.close();
    });

    it('ends when the client says so', async () => {
      const { answer, client } = await exchange(gateway.port, get('/1', 'Connection: close\r\n'));
      expect(answer.fields).toMatchObject({ connection: 'close' });
      await client.wait(() => client.hasEnded);
      client.close();
    });

    it('ends after HTTP/1.0, which gets a body without chunks', async () => {
      const { answer, client } = await exchange(gateway.port, 'GET /unsized HTTP/1.0\r\n\r\n');
      expect(answer.body).toBe('part whole');
      expect(answer.fields).toMatchObject({ connection: 'close' });
      expect(answer.fields).not.toHaveProperty('transfer-encoding');
      await client.wait(() => client.hasEnded);
      client.close();
    });

    it('stays open for HTTP/1.0 with keep-alive and a length', async () => {
      const text = 'GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
      const { answer, client } = await exchange(gateway.port, text);
      expect(answer.fields).toMatchObject({ connection: 'keep-alive' });
      client.send(text);
      expect(await client.answer()).toMatchObject({ status: 200 });
      client.close();
    });
  });
});

describe('what HTTP libraries would not send', () => {
  const answers = (head: string) => openRawUpstream((socket) => void socket.end(head));

  it.each([
    ['nothing at all', '', 502],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 502],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-Le', 502],
    [
      'a length beside chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      502,
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc', 502],
    ['NUL in a value', 'HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n', 502],
    [
      'another control character in a value',
      'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 0\r\n\r\n',
      502,
    ],
    [
      'a bare CR in a value',
      'HTTP/1.1 200 OK\r\nX: a\rSet-Cookie: b\r\nContent-Length: 0\r\n\r\n',
      502,
    ],
    ['a folded field', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n', 502],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nX : a\r\nContent-Length: 0\r\n\r\n', 502],
    ['a field without a name', 'HTTP/1.1 200 OK\r\n: a\r\nContent-Length: 0\r\n\r\n', 502],
    ['a head beyond 64 KiB', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`, 502],
    [
      'an upgrade nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      502,
    ],
  ])('%s is answered by the gateway itself', async (_what, head, status) => {
    const upstream = await answers(head);
    const gateway = await openGateway({ upstream: upstream.origin });
    const { answer, client } = await exchange(gateway.port, `POST /a HTTP/1.1\r\n${HOST}\r\n`);
    client.close();
    await gateway.close();
    await upstream.close();
    expect(answer).toMatchObject({ status, fields: { 'x-ratelimit-limit': '100' } });
    expect(answer.body).not.toContain('127.0.0.1');
  });

  it('a reason phrase with control characters is replaced', async () => {
    const upstream = await answers('HTTP/1.1 200 caf\xe9\r\nContent-Length: 2\r\n\r\nok');
    const gateway = await openGateway({ upstream: upstream.origin });
    const { answer, client } = await exchange(gateway.port, get('/a'));
    client.close();
    await gateway.close();
    await upstream.close();
    expect(answer).toMatchObject({ status: 200, reason: 'OK', body: 'ok' });
  });

  it('a body that ends with the connection is passed on whole', async () => {
    const upstream = await answers('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end');
    const gateway = await openGateway({ upstream: upstream.origin });
    const { answer, client } = await exchange(gateway.port, get('/a'));
    client.close();
    await gateway.close();
    await upstream.close();
    expect(answer).toMatchObject({ body: 'until the end', fields: { connection: 'keep-alive' } });
  });

  it.each([
    ['a length', 'Content-Length: 100\r\n\r\nhalf', get('/a')],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n64\r\nhalf', get('/a')],
    [
      'chunks, to HTTP/1.0',
      'Transfer-Encoding: chunked\r\n\r\n64\r\nhalf',
      'GET /a HTTP/1.0\r\n\r\n',
    ],
  ])('half a body with %s never passes for a whole one', async (_what, rest, request) => {
    const upstream = await answers(`HTTP/1.1 200 OK\r\n${rest}`);
    const gateway = await openGateway({ upstream: upstream.origin });
    const client = await RawClient.open(gateway.port);
    let reset = false;
    client.socket.on('error', (error: NodeJS.ErrnoException) => {
      reset = error.code === 'ECONNRESET';
    });
    client.send(request);
    await client.wait(() => client.isClosed || client.hasEnded);
    const isWhole = /\r\n0\r\n\r\n$/.test(client.received);
    await gateway.close();
    await upstream.close();
    expect(isWhole).toBe(false);
    // Without framing only a reset tells the client.
    if (request.includes('HTTP/1.0')) expect(reset).toBe(true);
    expect(gateway.observed.at(-1)).toMatchObject({ failure: 'reset-in-body' });
  });
});

describe('the gateway’s own answers', () => {
  it('tell a refused client when to come back, in a way scripts may read', async () => {
    const upstream = await openUpstream();
    const gateway = await openGateway({ upstream: upstream.origin, limit: async () => refuse });
    const { answer, client } = await exchange(
      gateway.port,
      get('/a', 'Origin: https://app.example\r\n'),
    );
    client.close();
    await gateway.close();
    await upstream.close();
    expect(answer).toMatchObject({
      status: 429,
      fields: {
        'retry-after': '7',
        'x-ratelimit-limit': '100',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('Retry-After'),
        'cache-control': 'no-store',
      },
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      instance: '/a',
    });
    expect(upstream.seen).toEqual([]);
  });

  it('refuse a body before it is sent when the client waits for 100', async () => {
    const upstream = await openUpstream();
    const gateway = await openGateway({ upstream: upstream.origin, limit: async () => refuse });
    const { answer, client } = await exchange(
      gateway.port,
      `POST /a HTTP/1.1\r\n${HOST}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`,
    );
    expect(answer).toMatchObject({ status: 429, fields: { connection: 'close' } });
    await client.wait(() => client.hasEnded);
    client.close();
    await gateway.close();
    await upstream.close();
  });

  it('leave the query out of what they repeat', async () => {
    const gateway = await openGateway({ upstream: 'http://127.0.0.1:1' });
    const { answer, client } = await exchange(gateway.port, get('/cb?code=secret'));
    client.close();
    await gateway.close();
    expect(answer.status).toBe(502);
    expect(answer.body).not.toMatch(/secret|127\.0\.0\.1|ECONN/);
    expect(JSON.parse(answer.body)).toMatchObject({ instance: '/cb' });
  });

  it.each([
    ['an unknown host', 'GET /x HTTP/1.1\r\nHost: other.example\r\n\r\n', 421],
    ['an unknown path', 'GET /y HTTP/1.1\r\nHost: links.example\r\n\r\n', 404],
  ])('name %s', async (_what, bytes, status) => {
    const gateway = await openGateway({
      upstream: {
        pools: { only: { peers: ['http://127.0.0.1:1'] } },
        routes: [{ name: 'x', hosts: ['links.example'], paths: ['/x'], pool: 'only' }],
      },
    });
    const { answer, client } = await exchange(gateway.port, bytes);
    client.close();
    await gateway.close();
    expect(answer).toMatchObject({ status, fields: { 'x-ratelimit-limit': '100' } });
  });

  it('end a request that goes in circles', async () => {
    const gateway = await openGateway({ upstream: 'http://127.0.0.1:1' });
    const loop = await openGateway({ upstream: `http://127.0.0.1:${gateway.port}` });
    gateway.upstreams.apply(
      routing.parse({
        pools: { loop: { peers: [`http://127.0.0.1:${loop.port}`] } },
        routes: [{ name: 'loop', pool: 'loop' }],
      }),
    );
    const { answer, client } = await exchange(gateway.port, get('/a'));
    client.close();
    await gateway.close();
    await loop.close();
    expect(answer).toMatchObject({ status: 502 });
    expect(gateway.asked.length + loop.asked.length).toBe(6);
  });

  it('come out even when the limiter itself fails', async () => {
    const gateway = await openGateway({
      upstream: 'http://127.0.0.1:1',
      limit: async () => {
        throw new Error('internal secret');
      },
    });
    const { answer, client } = await exchange(gateway.port, get('/a'));
    client.close();
    await gateway.close();
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('secret');
    expect(gateway.log()).toContain('internal secret');
  });
});
