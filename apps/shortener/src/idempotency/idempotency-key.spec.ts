import { fingerprintOf, parseIdempotencyKey } from './idempotency-key.ts';

describe('parseIdempotencyKey', () => {
  it.each([
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    [' abc ', 'abc'],
    ['"with blank"', 'with blank'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('reads %s', (field, key) => {
    expect(parseIdempotencyKey(field)).toBe(key);
  });

  it.each([
    '',
    '""',
    'with blank',
    '"open',
    'open"',
    '"a"b"',
    '"a\\x"',
    '"ä"',
    'ä',
    'a\tb',
    '"a"; p=1',
    'first, second',
    'x'.repeat(256),
  ])('refuses %j', (field) => {
    expect(parseIdempotencyKey(field)).toBeUndefined();
  });
});

describe('fingerprintOf', () => {
  const of = (body: unknown, route = 'POST /shorten') => fingerprintOf(route, body).toString('hex');

  it('does not mind the order of members, at any depth', () => {
    expect(of({ a: 1, b: { c: 2, d: [1, 2] } })).toBe(of({ b: { d: [1, 2], c: 2 }, a: 1 }));
  });

  it('tells other values, other orders of lists, and other routes apart', () => {
    expect(of({ a: 1 })).not.toBe(of({ a: '1' }));
    expect(of([1, 2])).not.toBe(of([2, 1]));
    expect(of({ a: null })).not.toBe(of({}));
    expect(of({}, 'POST /links/bulk')).not.toBe(of({}));
  });
});
