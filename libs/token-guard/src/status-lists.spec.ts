import { HostileIssuer, makeKey, sendJson, until } from '../test/hostile-issuer.ts';
import { HttpIssuer } from './http-issuer.ts';
import type { TokenGuardEvent } from './observer.ts';
import { SigningKeys } from './signing-keys.ts';
import { StatusLists } from './status-lists.ts';

const POLL_MS = 40;
let issuer: HostileIssuer;
let lists: StatusLists;
let offsetMs: number;
let events: TokenGuardEvent[];

beforeEach(async () => {
  issuer = await HostileIssuer.start();
  offsetMs = 0;
  events = [];
  lists = make();
});
afterEach(async () => {
  lists.close();
  await issuer.stop();
});

function make(introspection?: { clientId: string; clientSecret: string }): StatusLists {
  const now = () => Date.now() + offsetMs;
  const observe = (event: TokenGuardEvent) => void events.push(event);
  const addresses = { issuer: issuer.issuer, internalUrl: issuer.internalUrl };
  const http = new HttpIssuer({ ...addresses, fetch, timeoutMs: 300, now });
  const keys = new SigningKeys(http, { now, cooldownMs: 2_000, observe });
  return new StatusLists(http, keys, {
    ...addresses,
    algorithms: ['ES256'],
    clockSkewSeconds: 0,
    introspection,
    observe,
    now,
    pollMs: POLL_MS,
  });
}

const at = (index: number) => ({ uri: issuer.listUri, index });
const check = (index: number) => lists.check(at(index), 'token');
const path = '/status-lists/1';
const goAway = () => issuer.misbehave(path, (_, response) => response.writeHead(500).end());

/** Time for three polls, told by another watcher of another list. */
async function severalPolls(): Promise<void> {
  const other = make();
  await other.check({ uri: `${issuer.issuer}/status-lists/2`, index: 0 }, 'token');
  await until(() => issuer.count('/status-lists/2') >= 4);
  other.close();
}

describe('a status', () => {
  it('is asked for once, then known at once', async () => {
    expect(lists.peek(at(7))).toBeUndefined();
    const all = await Promise.all(Array.from({ length: 50 }, () => check(7)));
    expect(new Set(all)).toEqual(new Set(['valid']));
    expect(issuer.count(path)).toBe(1);
    expect(lists.peek(at(7))).toBe('valid');
  });

  it('is revoked when the list says so', async () => {
    issuer.revoked.add(7);
    expect(await check(7)).toBe('revoked');
    expect(await check(8)).toBe('valid');
  });

  it('changes with the list, without anybody asking', async () => {
    await check(7);
    issuer.revoked.add(7);
    await until(() => lists.peek(at(7)) === 'revoked');
    issuer.revoked.delete(7);
    await until(() => lists.peek(at(7)) === 'valid');
  });

  it('is revoked beyond the end of the list', async () => {
    expect(await check(1 << 20)).toBe('revoked');
  });

  it.each([
    'https://evil.example.test/auth/status-lists/1',
    'https://id.example.test/status-lists/1',
    'https://id.example.test/auth/../status-lists/1',
    'http://169.254.169.254/latest',
  ])('is not asked of %s', async (uri) => {
    expect(await lists.check({ uri, index: 1 }, 'token')).toBe('foreign');
    expect(issuer.requests).toEqual([]);
  });
});

describe('the poll', () => {
  it('asks with the entity tag and hears "not modified"', async () => {
    await check(7);
    await until(() => issuer.count(path) >= 4);
    const asked = issuer.requests.filter((request) => request.path === `/auth${path}`);
    expect(asked[0]?.headers['if-none-match']).toBeUndefined();
    expect(asked.slice(1).every(({ headers }) => headers['if-none-match'] !== undefined)).toBe(
      true,
    );
    const outcomes = events.filter(({ kind }) => kind === 'status-fetched');
    expect(outcomes[0]).toMatchObject({ outcome: 'changed' });
    expect(outcomes.at(-1)).toMatchObject({ outcome: 'unchanged' });
  });

  it('forgets a list that nobody has asked about for a minute', async () => {
    await check(7);
    offsetMs += 59_000;
    await until(() => issuer.count(path) >= 3);
    expect(lists.size).toBe(1);
    offsetMs += 2_000;
    await until(() => lists.size === 0);
    const asked = issuer.count(path);
    await severalPolls();
    expect(issuer.count(path)).toBe(asked);
  });

  it('that fell asleep is made up for before an answer', async () => {
    await check(7);
    issuer.revoked.add(7);
    offsetMs += 10_000;
    expect(lists.peek(at(7))).toBeUndefined();
    expect(await check(7)).toBe('revoked');
  });

  it('stops when closed', async () => {
    await check(7);
    lists.close();
    const asked = issuer.count(path);
    await severalPolls();
    expect(issuer.count(path)).toBe(asked);
  });
});

describe('a list that cannot be fetched', () => {
  it('counts until it expires, and then nobody knows', async () => {
    issuer.listLifetimeSeconds = 30;
    issuer.revoked.add(8);
    await check(7);
    goAway();
    await until(() =>
      events.some((event) => event.kind === 'status-fetched' && event.outcome === 'failed'),
    );
    expect(lists.peek(at(7))).toBe('valid');
    expect(lists.peek(at(8))).toBe('revoked');
    offsetMs += 31_000;
    await until(() => lists.peek(at(7)) === undefined);
    expect(await check(7)).toBe('unknown');
    expect(lists.ageSeconds).toBeGreaterThan(30);
    issuer.behave(path);
    issuer.listClaims = { exp: Math.floor(Date.now() / 1000) + 120 };
    await until(async () => (await check(7)) === 'valid');
    expect(lists.ageSeconds).toBeLessThan(5);
  });

  it('does not make requests queue up behind an issuer that hangs', async () => {
    issuer.misbehave(path, () => undefined);
    expect(await check(7)).toBe('unknown');
    const started = performance.now();
    for (let index = 0; index < 100; index += 1) expect(await check(7)).toBe('unknown');
    expect(performance.now() - started).toBeLessThan(250);
    expect(issuer.count(path)).toBeLessThan(8);
  });

  it.each<[string, () => unknown]>([
    [
      'is signed by a stranger',
      async () => Object.assign(issuer, { listKey: await makeKey('key-1') }),
    ],
    [
      'is signed by an unpublished key',
      async () => Object.assign(issuer, { listKey: await makeKey('key-7') }),
    ],
    [
      'is for another address',
      () => Object.assign(issuer, { listClaims: { sub: `${issuer.issuer}/status-lists/2` } }),
    ],
    ['has expired', () => Object.assign(issuer, { listClaims: { exp: 1 } })],
    ['is a page', () => issuer.misbehave(path, (_, response) => response.end('<html>'))],
    [
      'is a flood',
      () => issuer.misbehave(path, (_, response) => response.end('x'.repeat(3 << 20))),
    ],
    [
      'is elsewhere',
      () =>
        issuer.misbehave(path, (_, response) =>
          response.writeHead(302, { location: `${issuer.internalUrl}/status-lists/2` }).end(),
        ),
    ],
    ['is gone', () => issuer.misbehave(path, (_, response) => response.writeHead(404).end())],
    [
      'is "not modified" though we have none',
      () => issuer.misbehave(path, (_, response) => response.writeHead(304).end()),
    ],
    [
      'is an access token',
      async () => {
        const token = await issuer.token();
        issuer.misbehave(path, (_, response) => response.end(token));
      },
    ],
  ])('is one that %s: nobody knows, and nobody is let in', async (_, misbehave) => {
    await misbehave();
    expect(await check(7)).toBe('unknown');
  });

  it('does not replace the copy at hand when what comes is forged', async () => {
    const forger = await makeKey('key-1');
    issuer.revoked.add(7);
    expect(await check(7)).toBe('revoked');
    issuer.listKey = forger;
    issuer.revoked.delete(7);
    await until(() =>
      events.some((event) => event.kind === 'status-fetched' && event.outcome === 'failed'),
    );
    expect(lists.peek(at(7))).toBe('revoked');
  });

  it('is signed by a rotated key: the keys are fetched again', async () => {
    await check(7);
    const key = await makeKey('key-2');
    issuer.keys.unshift(key);
    issuer.revoked.add(7);
    await until(() => lists.peek(at(7)) === 'revoked');
    expect(issuer.count('/jwks')).toBe(2);
  });
});

describe('introspection as the last resort', () => {
  const credentials = { clientId: 'shop:api', clientSecret: 'p%ss w+rd' };
  beforeEach(() => {
    lists.close();
    lists = make(credentials);
    goAway();
  });

  it.each([
    [true, 'valid'],
    [false, 'revoked'],
  ])('active %p means %s', async (active, status) => {
    issuer.misbehave('/introspect', (_, response) => sendJson(response, { active }));
    expect(await check(7)).toBe(status);
    const asked = issuer.requests.find((request) => request.path === '/auth/introspect');
    expect(asked?.body).toBe('token=token&token_type_hint=access_token');
    const basic = Buffer.from(asked?.headers.authorization?.slice(6) ?? '', 'base64').toString();
    expect(basic).toBe('shop%3Aapi:p%25ss+w%2Brd');
  });

  it('is not asked while a list is at hand', async () => {
    issuer.behave(path);
    await check(7);
    await check(8);
    expect(issuer.count('/introspect')).toBe(0);
  });

  it.each<[string, () => void]>([
    [
      'fails',
      () => issuer.misbehave('/introspect', (_, response) => response.writeHead(401).end()),
    ],
    [
      'says nothing',
      () => issuer.misbehave('/introspect', (_, response) => sendJson(response, {})),
    ],
    [
      'says "yes"',
      () => issuer.misbehave('/introspect', (_, response) => sendJson(response, { active: 'yes' })),
    ],
    ['hangs', () => issuer.misbehave('/introspect', () => undefined)],
  ])(
    'that %s leaves the status unknown, and does not make requests queue up',
    async (_, misbehave) => {
      misbehave();
      expect(await check(7)).toBe('unknown');
      const asked = issuer.count('/introspect');
      for (let index = 0; index < 20; index += 1) expect(await check(7)).toBe('unknown');
      expect(issuer.count('/introspect')).toBeLessThanOrEqual(asked + 1);
    },
  );
});
