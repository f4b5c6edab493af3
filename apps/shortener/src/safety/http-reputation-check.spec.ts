import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpReputationCheck } from './http-reputation-check.ts';

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

describe('HttpReputationCheck', () => {
  let server: Server;
  let answer: Answer;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      answer(request, body, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function check(url: string, timeoutMs = 1_000) {
    const { port } = server.address() as AddressInfo;
    const hook = { url: `http://127.0.0.1:${port}/check`, token: 'hook-token-0001', timeoutMs };
    return new HttpReputationCheck(hook).check(new URL(url), new AbortController().signal);
  }

  it('asks with the whole URL and its token, and takes the reason over', async () => {
    let asked: unknown;
    answer = (request, body, response) => {
      asked = [request.method, request.url, request.headers.authorization, JSON.parse(body)];
      response.end(JSON.stringify({ malicious: true, reason: 'Known phishing.' }));
    };
    expect(await check('https://evil.example/a?b#c')).toBe('Known phishing.');
    expect(asked).toEqual([
      'POST',
      '/check',
      'Bearer hook-token-0001',
      { url: 'https://evil.example/a?b#c' },
    ]);
  });

  it.each([
    [{ malicious: false }, undefined],
    [{ malicious: false, reason: 'clean' }, undefined],
    [{ malicious: true, reason: null }, 'A reputation service calls the destination dangerous.'],
  ])('reads %j', async (body, verdict) => {
    answer = (_request, _body, response) => response.end(JSON.stringify(body));
    expect(await check('https://example.org/')).toBe(verdict);
  });

  it.each<[string, Answer]>([
    ['500', (_q, _b, response) => response.writeHead(500).end()],
    ['a redirect', (_q, _b, response) => response.writeHead(302, { location: '/other' }).end()],
    ['no JSON', (_q, _b, response) => response.end('yes')],
    ['another shape', (_q, _b, response) => response.end('{"verdict":"bad"}')],
    ['silence', () => undefined],
    ['a closed connection', (request) => request.socket.destroy()],
  ])('cannot tell after %s', async (_name, given) => {
    answer = given;
    await expect(check('https://example.org/', 100)).rejects.toThrow();
  });
});
