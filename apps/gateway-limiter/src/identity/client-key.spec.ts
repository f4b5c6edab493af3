import { bucketKey, knownCaller, readCredentials, tierOf, unknownCaller } from './client-key.ts';

const long = 'x'.repeat(4_097);

describe('readCredentials', () => {
  it.each([
    ['an API key', { 'x-api-key': 'abc' }, { apiKey: 'abc' }],
    ['spaces around it', { 'x-api-key': '  abc ' }, { apiKey: 'abc' }],
    ['a bearer', { authorization: 'Bearer abc' }, { bearer: { scheme: 'bearer', value: 'abc' } }],
    [
      'a scheme in any case',
      { authorization: 'bEARER abc' },
      { bearer: { scheme: 'bearer', value: 'abc' } },
    ],
    [
      'several spaces',
      { authorization: 'Bearer   abc' },
      { bearer: { scheme: 'bearer', value: 'abc' } },
    ],
    ['a DPoP token', { authorization: 'DPoP abc' }, { bearer: { scheme: 'dpop', value: 'abc' } }],
    [
      'both',
      { 'x-api-key': 'k', authorization: 'Bearer t' },
      { apiKey: 'k', bearer: { scheme: 'bearer', value: 't' } },
    ],
    [
      'the value to the letter',
      { authorization: 'Bearer AbC==' },
      { bearer: { scheme: 'bearer', value: 'AbC==' } },
    ],
  ])('reads %s', (_title, headers, expected) => {
    expect(readCredentials(headers)).toEqual({ apiKey: undefined, bearer: undefined, ...expected });
  });

  it.each([
    ['nothing', {}],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['a scheme and a space', { authorization: 'Bearer  ' }],
    ['an empty key', { 'x-api-key': '' }],
    ['a bearer too long to be hashed', { authorization: `Bearer ${long}` }],
    ['a key too long to be hashed', { 'x-api-key': long }],
  ])('takes %s for no credential', (_title, headers) => {
    expect(readCredentials(headers)).toEqual({ apiKey: undefined, bearer: undefined });
  });
});

describe('caller', () => {
  const address = knownCaller('secret', 'address', '192.0.2.1');

  it('never shows in the store who it is', () => {
    expect(address.stem).toMatch(/^rl:\{[\w-]{2}\}[\w-]{20}$/);
    expect(JSON.stringify([address.stem, address.hash, address.label])).not.toContain('192');
  });

  it('has another hash under another secret, another kind, another value', () => {
    const hashes = [
      address,
      knownCaller('other', 'address', '192.0.2.1'),
      knownCaller('secret', 'user', '192.0.2.1'),
      knownCaller('secret', 'address', '192.0.2.2'),
    ].map(({ hash }) => hash);
    expect(new Set(hashes).size).toBe(4);
  });

  it('keeps an unknown bearer under the hash tag of its address, apart from every other bucket', () => {
    const unknown = unknownCaller('secret', 'some-bearer', address);
    expect(unknown.stem.slice(0, 7)).toBe(address.stem.slice(0, 7));
    expect(unknown.stem).toHaveLength(address.stem.length + 2);
    expect(unknown.name).toBeUndefined();
    expect(unknown.label).not.toContain('some');
  });

  it('is shown by its name only where an operator gave it one', () => {
    expect(knownCaller('secret', 'key', 'acme', 'paid').label).toBe('acme');
    expect(knownCaller('secret', 'user', 'alice').label).toMatch(/^[\w-]{10}$/);
  });

  it.each([
    ['an address', address, 'anonymous'],
    ['a user', knownCaller('secret', 'user', 'alice'), 'free'],
    ['an unknown bearer', unknownCaller('secret', 'x', address), 'free'],
    ['a key', knownCaller('secret', 'key', 'acme', 'paid'), 'paid'],
  ])('counts %s in its tier', (_title, caller, tier) => {
    expect(tierOf(caller)).toBe(tier);
  });

  it('has a bucket key for each rule', () => {
    expect(bucketKey(address.stem, '')).toBe(address.stem);
    expect(bucketKey(address.stem, 'create')).toBe(`${address.stem}:create`);
  });
});
