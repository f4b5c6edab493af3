import {
  inSigningOrder,
  isDue,
  isSpent,
  mayFirstSignAt,
  type SigningKey,
  stateOf,
} from './signing-keys.ts';

const at = (seconds: number) => new Date(seconds * 1000);
const key = (kid: string, members: Partial<SigningKey> = {}): SigningKey => ({
  kid,
  alg: 'ES256',
  privateJwk: {},
  createdAt: at(0),
  signsFrom: null,
  retiredAt: null,
  ...members,
});

describe('signing keys', () => {
  it.each([
    ['next', null, null],
    ['next', 101, null],
    ['current', 100, null],
    ['current', 50, 101],
    ['previous', 50, 100],
  ])('are %s when they sign from %s and retire at %s', (state, signsFrom, retiredAt) => {
    const times = {
      signsFrom: signsFrom === null ? null : at(signsFrom),
      retiredAt: retiredAt === null ? null : at(retiredAt),
    };
    expect(stateOf(times, at(100))).toBe(state);
  });

  it('sign in the order current, next, previous', () => {
    const keys = [
      key('old', { signsFrom: at(1), retiredAt: at(50) }),
      key('waiting'),
      key('signing', { signsFrom: at(50) }),
    ];
    expect(inSigningOrder(keys, at(100)).map(({ kid }) => kid)).toEqual([
      'signing',
      'waiting',
      'old',
    ]);
  });

  it('change places by the clock alone', () => {
    const keys = [
      key('signing', { signsFrom: at(1), retiredAt: at(200) }),
      key('scheduled', { signsFrom: at(200) }),
    ];
    expect(inSigningOrder(keys, at(199))[0]?.kid).toBe('signing');
    expect(inSigningOrder(keys, at(200))[0]?.kid).toBe('scheduled');
  });

  it('may first sign when every cached JWKS has them', () => {
    const next = key('b', { createdAt: at(100) });
    expect(mayFirstSignAt(next, key('a', { createdAt: at(99) }), 300)).toEqual(at(400));
  });

  it('may sign at once when they were published together with the one before them', () => {
    const next = key('b', { createdAt: at(100) });
    expect(mayFirstSignAt(next, key('a', { createdAt: at(100) }), 300)).toEqual(at(100));
  });

  it('are due when they have signed long enough, never with rotation 0', () => {
    const signing = key('a', { signsFrom: at(0) });
    expect(isDue(signing, 100, at(99))).toBe(false);
    expect(isDue(signing, 100, at(100))).toBe(true);
    expect(isDue(signing, 0, at(1e6))).toBe(false);
  });

  it('are spent when everything they signed has expired, not a moment before', () => {
    const retired = key('a', { signsFrom: at(0), retiredAt: at(100) });
    expect(isSpent(retired, 3600, at(100 + 3600))).toBe(false);
    expect(isSpent(retired, 3600, at(100 + 3600 + 121))).toBe(true);
    expect(isSpent(key('b', { signsFrom: at(0) }), 3600, at(1e9))).toBe(false);
  });
});
