import { createServer, type Server } from 'node:http';
import { outgoingFetch } from './outgoing-fetch.ts';

describe('calling out', () => {
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: '/' }).end();
      else if (request.url === '/large') response.end('x'.repeat(300 * 1024));
      else if (request.url === '/silent') return;
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(['127.0.0.1', 'localhost'])('refuses %s unless it is named', async (host) => {
    await expect(outgoingFetch([])(`http://${host}:${port}/`)).rejects.toThrow(
      'globally reachable',
    );
    await expect(outgoingFetch([`${host}:1`])(`http://${host}:${port}/`)).rejects.toThrow();
  });

  it('refuses literals however they are written', async () => {
    for (const host of ['0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254'])
      await expect(outgoingFetch([])(`http://${host}:${port}/`)).rejects.toThrow(
        'globally reachable',
      );
  });

  it('reaches a host that is named, with or without its port', async () => {
    for (const named of ['127.0.0.1', `127.0.0.1:${port}`]) {
      const response = await outgoingFetch([named])(`http://127.0.0.1:${port}/`);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ keys: [] });
    }
  });

  it('does not follow redirects', async () => {
    const response = await outgoingFetch(['127.0.0.1'])(`http://127.0.0.1:${port}/redirect`);
    expect(response.status).toBe(302);
  });

  it('gives up on an answer that is too large or does not come', async () => {
    const call = outgoingFetch(['127.0.0.1']);
    await expect(call(`http://127.0.0.1:${port}/large`)).rejects.toThrow('too large');
    const signal = AbortSignal.timeout(50);
    await expect(call(`http://127.0.0.1:${port}/silent`, { signal })).rejects.toThrow();
  });
});
