import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import type { RequestFacts } from '../limiting/limit-verdict.ts';
import type { BearerVerifier, VerifiedSubject } from './bearer-verifier.ts';
import { CallerIdentifier } from './caller-identifier.ts';
import { credentialDigest } from './keyed-hash.ts';

const facts = (headers: RequestFacts['headers'], clientAddress = '192.0.2.1'): RequestFacts => ({
  kind: 'request',
  method: 'GET',
  host: 'localhost',
  path: '/',
  headers,
  clientAddress,
});
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

/** Knows tokens that begin with `user-` or `client-`; the first time it is asked it must verify. */
class Tokens implements BearerVerifier {
  verified = 0;
  private readonly known = new Map<string, VerifiedSubject>();

  peek(token: string) {
    return this.known.get(token);
  }

  async verify(token: string) {
    this.verified++;
    const [, kind, id] = /^(user|client)-(.+)$/.exec(token) ?? [];
    if (!kind || !id) return undefined;
    const subject = { kind: kind as 'user' | 'client', id };
    this.known.set(token, subject);
    return subject;
  }
}

describe('CallerIdentifier', () => {
  const keys = new Map([
    [credentialDigest('key-of-acme'), { name: 'acme', tier: 'paid' }],
    [credentialDigest('key-of-bolt'), { name: 'bolt', tier: 'free' }],
  ]);
  let tokens: Tokens;
  let nowUs: number;
  let identifier: CallerIdentifier;
  beforeEach(() => {
    tokens = new Tokens();
    nowUs = 1_800_000_000_000_000;
    identifier = new CallerIdentifier({
      secret: 'secret',
      findKey: (digest) => keys.get(digest),
      verifier: tokens,
      ipv6PrefixBits: 64,
      nowUs: () => nowUs,
    });
  });
  const nameOf = async (headers: RequestFacts['headers'], address?: string) =>
    (await identifier.identify(facts(headers, address))).caller.name;

  it.each([
    ['an API key', { 'x-api-key': 'key-of-acme' }, 'key:acme', ['x-api-key']],
    ['an API key as bearer', bearer('key-of-acme'), 'key:acme', ['authorization']],
    ['a user token', bearer('user-alice'), 'user:alice', []],
    ['a client token', bearer('client-robot'), 'client:robot', []],
    [
      'a key before a token, which goes on',
      { 'x-api-key': 'key-of-acme', ...bearer('user-alice') },
      'key:acme',
      ['x-api-key'],
    ],
    [
      'a token before an unknown key',
      { 'x-api-key': 'rubbish', ...bearer('user-alice') },
      'user:alice',
      [],
    ],
    [
      'a key as bearer before an unknown key',
      { 'x-api-key': 'rubbish', ...bearer('key-of-bolt') },
      'key:bolt',
      ['authorization'],
    ],
    [
      'one of two keys, and neither goes on',
      { 'x-api-key': 'key-of-acme', ...bearer('key-of-bolt') },
      'key:acme',
      ['x-api-key', 'authorization'],
    ],
    ['nothing but the address', {}, 'address:192.0.2.1', []],
    ['a Basic login by address', { authorization: 'Basic YTpi' }, 'address:192.0.2.1', []],
    ['a bearer too long to look at by address', bearer('x'.repeat(5_000)), 'address:192.0.2.1', []],
  ])('knows %s', async (_title, headers, name, strip) => {
    const identified = await identifier.identify(facts(headers));
    expect(identified.caller.name).toBe(name);
    expect(identified.strip).toEqual(strip);
  });

  it('gives an unknown bearer a caller of its own beside its address, and forwards it', async () => {
    const { caller, address, strip } = await identifier.identify(facts(bearer('opaque')));
    expect(caller).toMatchObject({ kind: 'unknown', name: undefined });
    expect(address.name).toBe('address:192.0.2.1');
    expect(strip).toEqual([]);
    const again = await identifier.identify(facts(bearer('opaque')));
    expect(again.caller.stem).toBe(caller.stem);
    const other = await identifier.identify(facts(bearer('opaque2')));
    expect(other.caller.stem).not.toBe(caller.stem);
  });

  it('takes the same value for the same caller as API key and as bearer', async () => {
    const asKey = await identifier.identify(facts({ 'x-api-key': 'opaque' }));
    const asBearer = await identifier.identify(facts(bearer('opaque')));
    expect(asKey.caller.stem).toBe(asBearer.caller.stem);
  });

  it('folds the forms of an address and the addresses of one IPv6 network', async () => {
    expect(await nameOf({}, '::ffff:192.0.2.1')).toBe('address:192.0.2.1');
    expect(await nameOf({}, '2001:db8:1:2:3:4:5:6')).toBe('address:2001:db8:1:2::/64');
    expect(await nameOf({}, '')).toBe('address:none');
  });

  it('answers at once where nothing must be verified', async () => {
    expect(identifier.identify(facts({}))).not.toBeInstanceOf(Promise);
    expect(identifier.identify(facts({ 'x-api-key': 'key-of-acme' }))).not.toBeInstanceOf(Promise);
    await identifier.identify(facts(bearer('user-alice')));
    expect(identifier.identify(facts(bearer('user-alice')))).not.toBeInstanceOf(Promise);
    expect(tokens.verified).toBe(1);
  });

  it('looks at nothing but the address of a request that could not be parsed', async () => {
    const unparsed = { ...facts({ 'x-api-key': 'key-of-acme' }), kind: 'unparsed' as const };
    const identified = await identifier.identify(unparsed);
    expect(identified.caller.name).toBe('address:192.0.2.1');
  });

  it('checks no more signatures for an address that keeps sending bad ones, until it has paused', async () => {
    for (let index = 0; index < 500; index++)
      await identifier.identify(facts(bearer(`bad-${index}`)));
    expect(tokens.verified).toBe(50);
    const starved = await identifier.identify(facts(bearer('user-alice')));
    expect(starved.caller.kind).toBe('unknown');
    expect(await nameOf(bearer('user-bob'), '192.0.2.99')).toBe('user:bob');
    nowUs += 1_000_000;
    expect(await nameOf(bearer('user-alice'))).toBe('user:alice');
  });

  it('does not count good tokens against their address', async () => {
    for (let index = 0; index < 500; index++)
      expect(await nameOf(bearer(`user-${index}`))).toBe(`user:${index}`);
  });

  it('finds the same buckets by name as by request', async () => {
    const pairs: [RequestFacts['headers'], string, string][] = [
      [{ 'x-api-key': 'key-of-acme' }, '192.0.2.1', 'key:acme'],
      [bearer('user-alice'), '192.0.2.1', 'user:alice'],
      [{}, '192.0.2.1', 'address:192.0.2.1'],
      [{}, '2001:db8::1', 'address:2001:db8::/64'],
    ];
    for (const [headers, address, name] of pairs) {
      const { caller } = await identifier.identify(facts(headers, address));
      expect(identifier.callerNamed(name).stem).toBe(caller.stem);
    }
  });

  it('takes nobody for a key, a user or a client whose credential it does not hold, whatever the fields are', async () => {
    const known = ['key-of-acme', 'key-of-bolt', 'user-alice', 'client-robot'];
    const value = fc.oneof(
      fc.constantFrom(
        ...known,
        '',
        'bearer',
        'user-',
        'KEY-OF-ACME',
        'key-of-acme,key-of-bolt',
        'x'.repeat(5_000),
      ),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    const scheme = fc.constantFrom('Bearer', 'bearer', 'DPoP', 'Basic', 'Bearer:', '', 'bearer\t');
    const space = fc.constantFrom(' ', '  ', '\t', '');
    await fc.assert(
      fc.asyncProperty(
        fc.option(value, { nil: undefined }),
        fc.option(fc.tuple(scheme, space, value), { nil: undefined }),
        async (apiKey, authorization) => {
          nowUs += 60_000_000;
          const headers = {
            ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
            ...(authorization ? { authorization: authorization.join('') } : {}),
          };
          const { caller, address, strip } = await identifier.identify(facts(headers));
          expect(address.name).toBe('address:192.0.2.1');
          expect(caller.hash).toMatch(/^[\w-]{22}$/);
          expect(caller.stem).toMatch(/^rl:\{[\w-]{2}\}[\w-]+$/);
          const sent = Object.values(headers).map((text) => text.trim());
          const proof = { 'key:acme': 'key-of-acme', 'key:bolt': 'key-of-bolt' }[caller.name ?? ''];
          if (proof)
            expect(sent.some((text) => text === proof || text.endsWith(` ${proof}`))).toBe(true);
          if (caller.kind === 'user' || caller.kind === 'client')
            expect(
              sent.some(
                (text) => /^(bearer|dpop) /i.test(text) && text.includes(`${caller.kind}-`),
              ),
            ).toBe(true);
          // A field goes no further exactly where it holds a configured key.
          for (const field of ['x-api-key', 'authorization'] as const) {
            const held = (headers as Record<string, string>)[field]
              ?.replace(/^(?:bearer|dpop) /i, '')
              .trim();
            if (strip.includes(field)) expect(keys.has(credentialDigest(held ?? ''))).toBe(true);
          }
        },
      ),
      runs(2_000),
    );
  });
});
