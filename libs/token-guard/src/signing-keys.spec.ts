import { HostileIssuer, makeKey, sendJson, until } from '../test/hostile-issuer.ts';
import { HttpIssuer } from './http-issuer.ts';
import type { TokenGuardEvent } from './observer.ts';
import { SigningKeys } from './signing-keys.ts';

let issuer: HostileIssuer;
let keys: SigningKeys;
let offsetMs: number;
let events: TokenGuardEvent[];

beforeEach(async () => {
  issuer = await HostileIssuer.start();
  offsetMs = 0;
  events = [];
  const now = () => Date.now() + offsetMs;
  const { issuer: address, internalUrl } = issuer;
  const http = new HttpIssuer({ issuer: address, internalUrl, fetch, timeoutMs: 300, now });
  keys = new SigningKeys(http, { now, cooldownMs: 2_000, observe: (event) => events.push(event) });
});
afterEach(() => issuer.stop());

const pass = (seconds: number) => {
  offsetMs += seconds * 1000;
};
const fetches = () => issuer.count('/jwks');
const kids = async () => [...((await keys.load()) ?? new Map()).keys()];

describe('signing keys', () => {
  it('start from discovery and are fetched once for many', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, kids));
    expect(all.flat()).toEqual(Array(20).fill('key-1'));
    expect(issuer.requests.map(({ path }) => path)).toEqual([
      '/auth/.well-known/openid-configuration',
      '/auth/jwks',
    ]);
  });

  it('are kept as long as max-age says, then renewed behind the request', async () => {
    issuer.jwksCacheControl = 'max-age=60';
    await kids();
    pass(59);
    await kids();
    expect(fetches()).toBe(1);
    issuer.keys.push(await makeKey('key-2'));
    pass(2);
    expect(await kids()).toEqual(['key-1']);
    await until(async () => (await kids()).length === 2);
    expect(fetches()).toBe(2);
  });

  it('much too old are renewed before the request', async () => {
    issuer.jwksCacheControl = 'max-age=60';
    await kids();
    issuer.keys = [await makeKey('key-2')];
    pass(3600);
    expect(await kids()).toEqual(['key-2']);
  });

  it.each([
    ['max-age=0', 11, 10],
    ['max-age=31536000', 601, 600],
    [undefined, 301, 300],
    ['no-store', 301, 300],
  ])('with cache-control %p are renewed after %d s, not after %d', async (header, late, early) => {
    issuer.jwksCacheControl = header;
    await kids();
    pass(early - 1);
    await kids();
    expect(fetches()).toBe(1);
    pass(late - early + 1);
    await kids();
    await until(() => fetches() === 2);
  });

  it('are fetched once more for an unknown kid, and once a cool-down for a thousand', async () => {
    await kids();
    pass(3);
    issuer.keys.push(await makeKey('key-2'));
    expect([...((await keys.reload()) ?? [])].map(([kid]) => kid)).toEqual(['key-1', 'key-2']);
    expect(fetches()).toBe(2);
    for (let index = 0; index < 1000; index += 1) await keys.reload();
    expect(fetches()).toBe(2);
    pass(3);
    await Promise.all(Array.from({ length: 100 }, () => keys.reload()));
    expect(fetches()).toBe(3);
  });

  it.each<[string, () => void]>([
    ['fails', () => issuer.misbehave('/jwks', (_, response) => response.writeHead(500).end())],
    ['hangs', () => issuer.misbehave('/jwks', () => undefined)],
    ['hangs up', () => issuer.misbehave('/jwks', (request) => request.socket.destroy())],
    [
      'breaks off',
      () =>
        issuer.misbehave('/jwks', (_, response) => {
          response.writeHead(200, { 'content-length': 500 }).write('{"keys":[');
          setTimeout(() => response.destroy(), 20);
        }),
    ],
    ['sends a page', () => issuer.misbehave('/jwks', (_, response) => response.end('<html>'))],
    [
      'sends no keys',
      () => issuer.misbehave('/jwks', (_, response) => sendJson(response, { keys: [] })),
    ],
    ['sends no set', () => issuer.misbehave('/jwks', (_, response) => sendJson(response, []))],
    [
      'redirects',
      () =>
        issuer.misbehave('/jwks', (_, response) =>
          response.writeHead(302, { location: `${issuer.internalUrl}/other` }).end(),
        ),
    ],
    [
      'floods',
      () =>
        issuer.misbehave('/jwks', (_, response) =>
          response.end(`{"keys":["${'x'.repeat(2 << 20)}"]}`),
        ),
    ],
  ])('are kept when the issuer %s, and come again afterwards', async (_, misbehave) => {
    await kids();
    misbehave();
    pass(3600);
    expect(await kids()).toEqual(['key-1']);
    expect(events.at(-1)).toEqual({ kind: 'keys-fetched', cause: 'stale', succeeded: false });
    const tried = fetches();
    for (let index = 0; index < 50; index += 1) await kids();
    expect(fetches()).toBe(tried);
    issuer.behave('/jwks');
    issuer.keys.push(await makeKey('key-2'));
    pass(3);
    expect(await kids()).toEqual(['key-1', 'key-2']);
  });

  it('cannot be judged missing while the issuer is away', async () => {
    await kids();
    pass(3);
    issuer.misbehave('/jwks', (_, response) => response.writeHead(503).end());
    expect(await keys.reload()).toBeUndefined();
    expect(await keys.reload()).toBeUndefined();
    expect(fetches()).toBe(2);
  });

  it('are not there before the issuer ever answered, and it is not hammered', async () => {
    issuer.misbehave('/jwks', (_, response) => response.writeHead(500).end());
    for (let index = 0; index < 20; index += 1) expect(await keys.load()).toBeUndefined();
    expect(fetches()).toBe(1);
    issuer.behave('/jwks');
    pass(3);
    expect(await kids()).toEqual(['key-1']);
  });

  it.each([
    ['another issuer', { issuer: 'https://evil.example.test' }],
    ['the issuer with a slash', { issuer: 'https://id.example.test/auth/' }],
    ['no keys', { jwks_uri: undefined }],
  ])('are not taken from a discovery document that names %s', async (_, change) => {
    issuer.misbehave('/.well-known/openid-configuration', (_request, response) =>
      sendJson(response, { ...issuer.metadata(), ...change }),
    );
    expect(await keys.load()).toBeUndefined();
    expect(fetches()).toBe(0);
  });

  it('count a new generation when one of them is withdrawn or replaced, not when one is added', async () => {
    await kids();
    const before = keys.generation;
    issuer.keys.push(await makeKey('key-2'));
    pass(1300);
    await kids();
    expect(keys.generation).toBe(before);
    issuer.keys.shift();
    pass(1300);
    expect(await kids()).toEqual(['key-2']);
    expect(keys.generation).toBe(before + 1);
    issuer.keys = [await makeKey('key-2')];
    pass(1300);
    await kids();
    expect(keys.generation).toBe(before + 2);
  });
});
