import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exchange } from '../testing/raw-client.ts';
import { endWith, giveHead, readReason } from './answer-head.ts';

const FIELDS = ['date', 'Fri, 20 Nov 2026 12:00:00 GMT', 'content-length', '2'];

async function answer(
  respond: (response: ServerResponse) => void,
  request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
) {
  const server = createServer((_request, response) => respond(response));
  server.keepAliveTimeout = 7_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { client, answer: given } = await exchange((server.address() as AddressInfo).port, request);
  client.close();
  await new Promise((resolve) => server.close(resolve));
  return given;
}

const plain = { status: 200, reason: 'OK', fields: FIELDS, isPlain: true };

describe('a head of the gateway’s own writing', () => {
  it('is what Node would have written', async () => {
    const [ours, nodes] = await Promise.all([
      answer((response) => {
        giveHead(response, { ...plain, fields: [...FIELDS] });
        endWith(response, 'ok');
      }),
      answer((response) => {
        response.writeHead(200, 'OK', [...FIELDS]);
        response.end('ok');
      }),
    ]);
    expect(ours).toEqual(nodes);
    expect(ours.fields).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=7' });
  });

  it('leaves the unusual to Node: the last answer, HTTP/1.0, no length', async () => {
    const close = await answer((response) => {
      giveHead(response, { ...plain, fields: [...FIELDS] });
      endWith(response, 'ok');
    }, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const old = await answer((response) => {
      giveHead(response, { ...plain, fields: [...FIELDS] });
      endWith(response, 'ok');
    }, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    const unsized = await answer((response) => {
      giveHead(response, { ...plain, fields: FIELDS.slice(0, 2), isPlain: false });
      response.end('ok');
    });
    expect([close.body, old.body, unsized.body]).toEqual(['ok', 'ok', 'ok']);
    expect(close.fields).toMatchObject({ connection: 'close' });
    expect(old.fields).toMatchObject({ connection: 'keep-alive' });
    expect(unsized.fields).toMatchObject({ 'transfer-encoding': 'chunked' });
  });

  it('carries a body in pieces as well', async () => {
    const { body } = await answer((response) => {
      giveHead(response, { ...plain, fields: [...FIELDS] });
      response.write('o');
      setImmediate(() => response.end('k'));
    });
    expect(body).toBe('ok');
  });

  it('passes harmless reasons on', () => {
    expect([readReason(200, 'Fine'), readReason(200, ''), readReason(404, 'caf\u00e9')]).toEqual([
      'Fine',
      '',
      'Not Found',
    ]);
    expect(readReason(888, 'a\u0001b')).toBe('');
  });
});
