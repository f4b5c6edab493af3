import { hashSlotOf, hashTagOf } from './hash-slot.ts';

describe('hash slots', () => {
  it('are those of Redis Cluster', () => {
    // CLUSTER KEYSLOT answers these.
    expect([hashSlotOf('123456789'), hashSlotOf('foo'), hashSlotOf('ab')]).toEqual([
      12_739, 12_182, 13_567,
    ]);
  });

  it.each([
    ['rl:{ab}cdef', 'ab'],
    ['rl:{ab}cdef:create', 'ab'],
    ['plain', 'plain'],
    ['{}x', '{}x'],
    ['{open', '{open'],
  ])('%s lies where "%s" lies', (key, tag) => {
    expect(hashTagOf(key)).toBe(tag);
  });
});
