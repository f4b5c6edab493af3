import { type GatewayUnderTest, openGateway } from './testing/open-gateway.ts';
import { exchange, RawClient } from './testing/raw-client.ts';
import { openUpstream, type Upstream } from './testing/upstream.ts';

const HOST = 'Host: links.example\r\n';

describe('requests that two servers could read differently', () => {
  let upstream: Upstream;
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    upstream = await openUpstream();
    gateway = await openGateway({ upstream: upstream.origin });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  const post = (fields: string, body = '') => `POST /a HTTP/1.1\r\n${HOST}${fields}\r\n${body}`;
  const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body);

  it.each([
    // Framing
    [
      'length and chunks',
      400,
      post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    ],
    [
      'chunks and length',
      400,
      post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'),
    ],
    ['two equal lengths', 400, post('Content-Length: 5\r\nContent-Length: 5\r\n', 'hello')],
    ['two different lengths', 400, post('Content-Length: 5\r\nContent-Length: 6\r\n', 'hello')],
    ['a list of lengths', 400, post('Content-Length: 5, 5\r\n', 'hello')],
    ['a signed length', 400, post('Content-Length: +5\r\n', 'hello')],
    ['a negative length', 400, post('Content-Length: -1\r\n')],
    ['a hexadecimal length', 400, post('Content-Length: 0x5\r\n', 'hello')],
    ['a length with a space inside', 400, post('Content-Length: 1 2\r\n', 'hello')],
    ['an empty length', 400, post('Content-Length:\r\n')],
    ['a length beyond 64 bits', 400, post('Content-Length: 99999999999999999999\r\n')],
    ['an unknown transfer coding', 501, post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
    ['chunked not last', 400, post('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n')],
    [
      'chunked twice',
      400,
      post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    ],
    [
      'another coding before chunked',
      501,
      post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
    ],
    ['identity', 501, post('Transfer-Encoding: identity\r\n')],
    [
      'an empty transfer coding beside a length',
      400,
      post('Transfer-Encoding:\r\nContent-Length: 5\r\n', 'hello'),
    ],
    ['a vertical tab before chunked', 400, post('Transfer-Encoding: \x0bchunked\r\n', '0\r\n\r\n')],
    [
      'chunks in HTTP/1.0',
      400,
      `POST /a HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'space before the colon of a framing field',
      400,
      post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n'),
    ],
    [
      'a framing field folded onto two lines',
      400,
      post('Transfer-Encoding:\r\n chunked\r\n', '0\r\n\r\n'),
    ],
    // Chunks
    ['a chunk size that is no number', 400, chunked('Z\r\nhello\r\n0\r\n\r\n')],
    ['a chunk size with 0x', 400, chunked('0x5\r\nhello\r\n0\r\n\r\n')],
    ['a negative chunk size', 400, chunked('-5\r\nhello\r\n0\r\n\r\n')],
    ['a chunk size beyond 64 bits', 400, chunked('fffffffffffffffff\r\nhello')],
    ['a chunk longer than its size', 400, chunked('5\r\nhelloX\r\n0\r\n\r\n')],
    ['a chunk size ended by a bare LF', 400, chunked('5\nhello\r\n0\r\n\r\n')],
    ['chunk data ended by a bare LF', 400, chunked('5\r\nhello\n0\r\n\r\n')],
    ['framing in the trailers', 400, chunked('0\r\nContent-Length: 1\r\n\r\n')],
    // Host
    ['no Host', 400, 'GET /a HTTP/1.1\r\n\r\n'],
    ['two Hosts', 400, `GET /a HTTP/1.1\r\n${HOST}Host: other\r\n\r\n`],
    ['two equal Hosts', 400, `GET /a HTTP/1.1\r\n${HOST}${HOST}\r\n`],
    ['an empty Host', 400, 'GET /a HTTP/1.1\r\nHost:\r\n\r\n'],
    ['a Host with a path', 400, 'GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a Host with credentials', 400, 'GET /a HTTP/1.1\r\nHost: user@a\r\n\r\n'],
    ['a Host list', 400, 'GET /a HTTP/1.1\r\nHost: a,b\r\n\r\n'],
    // Lines and fields
    ['bare LF instead of CRLF', 400, 'GET /a HTTP/1.1\nHost: a\n\n'],
    ['a folded field', 400, `GET /a HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`],
    ['whitespace before the first field', 400, 'GET /a HTTP/1.1\r\n Host: a\r\n\r\n'],
    ['an empty field name', 400, `GET /a HTTP/1.1\r\n${HOST}: x\r\n\r\n`],
    ['a field name with a bracket', 400, `GET /a HTTP/1.1\r\n${HOST}X(y: 1\r\n\r\n`],
    ['NUL in a value', 400, `GET /a HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`],
    ['CR in a value', 400, `GET /a HTTP/1.1\r\n${HOST}X: a\rb\r\n\r\n`],
    ['another control character in a value', 400, `GET /a HTTP/1.1\r\n${HOST}X: a\x01b\r\n\r\n`],
    // Request line
    ['HTTP/0.9', 400, 'GET /a\r\n\r\n'],
    ['HTTP/1.2', 400, `GET /a HTTP/1.2\r\n${HOST}\r\n`],
    ['HTTP/2.0 in the clear', 400, `GET /a HTTP/2.0\r\n${HOST}\r\n`],
    ['the preface of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS on a plain port', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a lower-case method', 501, `get /a HTTP/1.1\r\n${HOST}\r\n`],
    ['a method nobody knows', 501, `FOO /a HTTP/1.1\r\n${HOST}\r\n`],
    ['a method that is no token', 400, `G@T,( /a HTTP/1.1\r\n${HOST}\r\n`],
    ['a tab after the method', 400, `GET\t/a HTTP/1.1\r\n${HOST}\r\n`],
    ['a space after the version', 400, `GET /a HTTP/1.1 \r\n${HOST}\r\n`],
    ['a control character in the target', 400, `GET /a\x01b HTTP/1.1\r\n${HOST}\r\n`],
    ['a target without a slash', 400, `GET a HTTP/1.1\r\n${HOST}\r\n`],
    ['"*" from another method than OPTIONS', 400, `GET * HTTP/1.1\r\n${HOST}\r\n`],
    ['CONNECT', 501, `CONNECT links.example:443 HTTP/1.1\r\n${HOST}\r\n`],
    // Targets: the whole table is in request-target.spec.ts
    ['a dot segment', 400, `GET /a/../auth HTTP/1.1\r\n${HOST}\r\n`],
    ['an encoded slash', 400, `GET /a%2fb HTTP/1.1\r\n${HOST}\r\n`],
    ['a percent sign that encodes nothing', 400, `GET /a%zz HTTP/1.1\r\n${HOST}\r\n`],
    ['credentials in an absolute form', 400, `GET http://u:p@a/ HTTP/1.1\r\n${HOST}\r\n`],
    // Size
    ['a head beyond the limit', 431, `GET /a HTTP/1.1\r\n${HOST}X: ${'a'.repeat(20_000)}\r\n\r\n`],
    [
      'more fields than are counted',
      431,
      `GET /a HTTP/1.1\r\n${HOST}${'A: 1\r\n'.repeat(200)}\r\n`,
    ],
    ['a target beyond the limit', 414, `GET /${'a'.repeat(9_000)} HTTP/1.1\r\n${HOST}\r\n`],
    ['an expectation nobody knows', 417, `GET /a HTTP/1.1\r\n${HOST}Expect: miracle\r\n\r\n`],
  ])('are refused: %s', async (_what, status, bytes) => {
    const before = upstream.seen.length;
    const { answer, client } = await exchange(gateway.port, bytes);
    client.close();
    expect(answer).toMatchObject({
      status,
      version: '1.1',
      fields: {
        'content-type': 'application/problem+json',
        'x-ratelimit-limit': '100',
        'x-ratelimit-remaining': '99',
        'x-ratelimit-reset': '1792500000',
        ratelimit: '"second";r=99;t=1',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      status,
      requestId: answer.fields['x-request-id'],
    });
    expect(upstream.seen).toHaveLength(before);
    expect(gateway.asked.at(-1)).toMatchObject({ clientAddress: '127.0.0.1' });
  });

  it.each([
    [
      'a tab before chunked',
      post('Transfer-Encoding:\tchunked\r\n', '5\r\nhello\r\n0\r\n\r\n'),
      'hello',
    ],
    ['a chunk extension', chunked('5;a=b\r\nhello\r\n0\r\n\r\n'), 'hello'],
    ['a length with a leading zero', post('Content-Length: 05\r\n', 'hello'), 'hello'],
    ['an empty line before the request line', `\r\nGET /a HTTP/1.1\r\n${HOST}\r\n`, ''],
    ['trailers', chunked('5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n'), 'hello'],
    ['an absolute form', 'GET http://links.example/a HTTP/1.1\r\nHost: other\r\n\r\n', ''],
    ['HTTP/1.0 without Host', 'GET /a HTTP/1.0\r\n\r\n', ''],
  ])('are not: %s; it is framed anew', async (_what, bytes, body) => {
    const { answer, client } = await exchange(gateway.port, bytes);
    client.close();
    expect(answer.status).toBe(200);
    const { rawHeaders, ...seen } = upstream.seen.at(-1) as Upstream['seen'][number];
    expect(seen).toMatchObject({ url: '/a', body });
    const names = rawHeaders
      .filter((_, index) => index % 2 === 0)
      .map((name) => name.toLowerCase());
    expect(names.filter((name) => name === 'host')).toHaveLength(1);
    expect(names.filter((name) => /^(content-length|transfer-encoding)$/.test(name)).length).toBe(
      body === '' ? 0 : 1,
    );
  });

  it('never let a second request hide in the body of the first', async () => {
    const hidden = `GET /hidden HTTP/1.1\r\n${HOST}\r\n`;
    const before = upstream.seen.length;
    const { answer, client } = await exchange(
      gateway.port,
      post(`Content-Length: ${hidden.length}\r\n`, hidden),
    );
    expect(answer.status).toBe(200);
    client.send(`GET /next HTTP/1.1\r\n${HOST}\r\n`);
    expect(JSON.parse((await client.answer()).body)).toMatchObject({ url: '/next' });
    client.close();
    expect(upstream.seen.slice(before).map((seen) => seen.url)).toEqual(['/a', '/next']);
  });

  it('answer pipelined requests in order, and refuse what is malformed only after the good ones', async () => {
    const client = await RawClient.open(gateway.port);
    client.send(`GET /1 HTTP/1.1\r\n${HOST}\r\nGET /2 HTTP/1.1\r\n${HOST}\r\n\x00garbage\r\n\r\n`);
    expect(JSON.parse((await client.answer()).body)).toMatchObject({ url: '/1' });
    expect(JSON.parse((await client.answer()).body)).toMatchObject({ url: '/2' });
    expect(await client.answer()).toMatchObject({ status: 400, fields: { connection: 'close' } });
    await client.wait(() => client.hasEnded);
    client.close();
    expect(gateway.unparsed.at(-1)).toBe(400);
  });

  it('ignore what follows a request that closes the connection', async () => {
    const before = upstream.seen.length;
    const client = await RawClient.open(gateway.port);
    client.send(
      `GET /1 HTTP/1.1\r\n${HOST}Connection: close\r\n\r\nGET /2 HTTP/1.1\r\n${HOST}\r\n`,
    );
    expect(await client.answer()).toMatchObject({ status: 200, fields: { connection: 'close' } });
    await client.wait(() => client.hasEnded);
    expect([client.received, upstream.seen.slice(before).map((seen) => seen.url)]).toEqual([
      '',
      ['/1'],
    ]);
    client.close();
  });

  it('answer a broken body in its own place and let go of the upstream', async () => {
    const { answer, client } = await exchange(gateway.port, chunked('5\r\nhello\r\nZZ\r\n'));
    expect(answer).toMatchObject({ status: 400, fields: { connection: 'close' } });
    await client.wait(() => client.hasEnded);
    client.close();
    expect(gateway.observed.at(-1)).toMatchObject({ status: 400, failure: 'body' });
  });
});
