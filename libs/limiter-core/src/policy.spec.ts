import { definePolicy, dividePolicy } from './policy.ts';

describe('definePolicy', () => {
  it('orders windows from short to long and takes the limit as burst where none is given', () => {
    const policy = definePolicy('create', {
      day: { limit: 86_400 },
      second: { limit: 10, burst: 100 },
    });
    expect(policy).toEqual({
      name: 'create',
      layout: 'sd',
      windows: [
        { name: 'second', capacity: 100, refillPerSecond: 10 },
        { name: 'day', capacity: 86_400, refillPerSecond: 1 },
      ],
    });
  });

  it.each([
    ['no window', {}],
    ['a limit of 0', { second: { limit: 0 } }],
    ['room for less than a token', { day: { limit: 0.5 } }],
    ['a limit that is no number', { day: { limit: Number.NaN } }],
    ['a limit without end', { day: { limit: Number.POSITIVE_INFINITY } }],
  ])('refuses %s', (_title, limits) => {
    expect(() => definePolicy('', limits)).toThrow(RangeError);
  });
});

describe('dividePolicy', () => {
  const policy = definePolicy('', { second: { limit: 10, burst: 20 }, day: { limit: 2 } });

  it('gives each share its part of capacity and refill', () => {
    expect(dividePolicy(policy, 4).windows[0]).toEqual({
      name: 'second',
      capacity: 5,
      refillPerSecond: 2.5,
    });
  });

  it('leaves room for one token in every share', () => {
    expect(dividePolicy(policy, 4).windows[1]?.capacity).toBe(1);
  });

  it('changes nothing for a single process', () => {
    expect(dividePolicy(policy, 1)).toBe(policy);
  });
});
