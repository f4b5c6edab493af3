import { connect } from 'node:net';
import { describeWith, until } from '@gatepost/test-services';
import { TestShortener } from './shortener.ts';

describeWith(['postgres'], 'POST /links/bulk', () => {
  let shortener: TestShortener;
  let token: string;

  beforeAll(async () => {
    shortener = await TestShortener.start();
    token = shortener.token();
  });

  afterAll(() => shortener?.stop());

  const bulk = (body: unknown, headers = {}) =>
    shortener.call('/links/bulk', { body, token, headers });
  const item = (number: number, more = {}) => ({
    longUrl: `https://example.org/${number}`,
    ...more,
  });

  it('200 with a hundred links, in order', async () => {
    const items = Array.from({ length: 100 }, (_, number) => item(number));
    const { status, json } = await bulk({ items });
    expect(status).toBe(200);
    expect(json.results).toHaveLength(100);
    for (const [number, result] of json.results.entries())
      expect(result).toMatchObject({ status: 201, link: { longUrl: items[number]?.longUrl } });
    const { code } = json.results[42].link;
    expect((await shortener.call(`/${code}`)).headers.get('location')).toBe(
      'https://example.org/42',
    );
  });

  it('200 with the fate of each: a faulty item leaves the others alone', async () => {
    await shortener.create({ customAlias: 'bulktkn' });
    const { status, json } = await bulk({
      items: [
        item(1),
        item(2, { customAlias: 'bulktkn' }),
        item(3, { customAlias: 'bulkTWO' }),
        item(4, { customAlias: 'bulkTWO' }),
        { longUrl: 'http://127.0.0.1/' },
        { longUrl: 'https://example.org', surprise: 1 },
        'text',
        null,
        item(5, { expiresAt: '2020-01-01T00:00:00Z' }),
        item(6),
      ],
    });
    expect(status).toBe(200);
    const fates = json.results.map(
      (result: { status: number; problem?: { type: string; errors: { pointer: string }[] } }) =>
        result.problem
          ? [
              result.status,
              result.problem.type.split(':').at(-1),
              result.problem.errors[0]?.pointer,
            ]
          : result.status,
    );
    expect(fates).toEqual([
      201,
      [409, 'alias-taken', '/customAlias'],
      201,
      [409, 'alias-taken', '/customAlias'],
      [400, 'invalid-url', '/longUrl'],
      [400, 'invalid-request', '/surprise'],
      [400, 'invalid-request', ''],
      [400, 'invalid-request', ''],
      [400, 'invalid-expiry', '/expiresAt'],
      201,
    ]);
    expect((await shortener.call('/bulkTWO')).headers.get('location')).toBe(
      'https://example.org/3',
    );
  });

  it.each([
    ['none', { items: [] }],
    ['101', { items: Array.from({ length: 101 }, (_, number) => item(number)) }],
    ['no list', { items: {} }],
    ['an unknown member', { items: [item(1)], more: 1 }],
  ])('400 for %s', async (_name, body) => {
    expect((await bulk(body)).status).toBe(400);
  });

  it('takes a body of more than 64 KiB', async () => {
    const items = Array.from({ length: 100 }, (_, number) =>
      item(number, { longUrl: `https://example.org/${'a'.repeat(2_000)}` }),
    );
    const { json } = await bulk({ items });
    expect(json.results.every((result: { status: number }) => result.status === 201)).toBe(true);
  });

  it('413 for one of more than 4 MiB', async () => {
    const items = [item(1, { longUrl: 'a'.repeat(4_194_304) })];
    expect((await bulk({ items })).status).toBe(413);
  });

  it('413 is seen by who is still sending: the connection stays, and serves the next request', async () => {
    const { hostname, port } = new URL(shortener.process.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    let closed = false;
    socket.on('data', (chunk) => {
      received += chunk;
    });
    for (const end of ['end', 'error', 'close'])
      socket.on(end, () => {
        closed = true;
      });
    const size = 8 * 1024 * 1024;
    const fields = `host: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json`;
    socket.write(`POST /links/bulk HTTP/1.1\r\n${fields}\r\ncontent-length: ${size}\r\n\r\n`);
    await until(() => received.includes('HTTP/1.1 413') || closed);
    // Only now comes the body, as from a client that has not looked at the answer yet.
    for (let sent = 0; sent < size && !closed; sent += 65_536)
      if (!socket.write('a'.repeat(65_536))) await until(() => !socket.writableNeedDrain || closed);
    socket.write('GET /absent1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => received.includes('HTTP/1.1 404') || closed);
    expect([closed, received.includes('HTTP/1.1 404')]).toEqual([false, true]);
    socket.destroy();
  });

  it('401 without a token, though single links may be made without one', async () => {
    const { status } = await shortener.call('/links/bulk', { body: { items: [item(1)] } });
    expect(status).toBe(401);
  });

  it('makes the links once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': '"bulk-1"' };
    const first = await bulk({ items: [item(1), item(2, { customAlias: 'bulkkey' })] }, headers);
    const second = await bulk({ items: [item(1), item(2, { customAlias: 'bulkkey' })] }, headers);
    expect(second.json).toEqual(first.json);
    expect((await bulk({ items: [item(3)] }, headers)).status).toBe(422);
  });
});
