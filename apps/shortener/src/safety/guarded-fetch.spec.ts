import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GuardedFetch, PrivateAddress, type ResolveHost } from './guarded-fetch.ts';

/** Loopback stands for the private network: what the guard lets through is seen arriving there. */
describe('GuardedFetch', () => {
  let server: Server;
  let port: number;
  let visits: { host: string | undefined; cookie: string | undefined }[];
  let answer: (response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer((request, response) => {
      visits.push({ host: request.headers.host, cookie: request.headers.cookie });
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });

  beforeEach(() => {
    visits = [];
    answer = (response) => response.end('secret');
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function fetchHop(url: string, allowPrivate: boolean, resolveHost?: ResolveHost) {
    const guarded = new GuardedFetch({
      allowPrivate,
      userAgent: 'spec',
      ...(resolveHost ? { resolveHost } : {}),
    });
    return guarded.fetchHop(new URL(url), AbortSignal.timeout(3_000));
  }

  const causesOf = (error: unknown): unknown[] =>
    error instanceof Error ? [error, ...causesOf(error.cause)] : [];

  async function expectPrivate(work: Promise<unknown>): Promise<void> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(causesOf(error).some((cause) => cause instanceof PrivateAddress)).toBe(true);
    expect(visits).toEqual([]);
  }

  it.each([
    ['its address', '127.0.0.1'],
    ['every address', '0.0.0.0'],
    ['a mapped address', '[::ffff:127.0.0.1]'],
    ['the loopback of IPv6', '[::1]'],
  ])('never reaches a private host by %s', async (_name, host) => {
    await expectPrivate(fetchHop(`http://${host}:${port}/`, false));
  });

  it('never reaches a private host by a name', async () => {
    await expectPrivate(fetchHop(`http://a.example:${port}/`, false, async () => ['127.0.0.1']));
  });

  it('refuses a name with one private address among public ones', async () => {
    await expectPrivate(
      fetchHop(`http://a.example:${port}/`, false, async () => ['8.8.8.8', '127.0.0.1']),
    );
  });

  it('judges the address that it dials: a name that changes its mind gains nothing', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const rebinding: ResolveHost = async () => answers.pop() ?? [];
    await expectPrivate(fetchHop(`http://a.example:${port}/`, false, rebinding));
  });

  it('says of a name without address that it cannot be reached', async () => {
    await expect(fetchHop('http://a.example/', false, async () => [])).rejects.toThrow();
  });

  it('gets a page where private addresses are allowed, once, without cookies', async () => {
    answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 'a=b' })
        .end('<p>hello</p>');
    const resolveHost: ResolveHost = async () => ['127.0.0.1'];
    const url = `http://a.example:${port}/`;
    expect(await fetchHop(url, true, resolveHost)).toEqual({
      status: 200,
      location: undefined,
      html: '<p>hello</p>',
    });
    await fetchHop(url, true, resolveHost);
    expect(visits).toEqual([
      { host: `a.example:${port}`, cookie: undefined },
      { host: `a.example:${port}`, cookie: undefined },
    ]);
  });

  it('follows nothing by itself', async () => {
    answer = (response) => response.writeHead(302, { location: '/next' }).end();
    const hop = await fetchHop(`http://127.0.0.1:${port}/`, true);
    expect([hop.status, hop.location, visits.length]).toEqual([302, '/next', 1]);
  });

  it('does not read what is no page', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/zip' });
      response.write('PK');
    };
    expect((await fetchHop(`http://127.0.0.1:${port}/`, true)).html).toBe('');
  });

  it('reads no more than a megabyte of a page without end', async () => {
    let closed = false;
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.on('close', () => {
        closed = true;
      });
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
    };
    const { html } = await fetchHop(`http://127.0.0.1:${port}/`, true);
    expect(html.length).toBe(1024 * 1024);
    const deadline = Date.now() + 2_000;
    while (!closed && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(closed).toBe(true);
  });

  it('waits no longer than it is told', async () => {
    answer = () => undefined;
    const guarded = new GuardedFetch({ allowPrivate: true, userAgent: 'spec' });
    const url = new URL(`http://127.0.0.1:${port}/`);
    await expect(guarded.fetchHop(url, AbortSignal.timeout(100))).rejects.toThrow();
  });
});
