import { LIST_SIZE, permutation } from './permutation.ts';

describe('the permutation of a status list', () => {
  it.each([0n, 1n, -1n, 0x7fffffffffffffffn, 0x123456789abcdefn])(
    'gives every position once with seed %s',
    (seed) => {
      const permute = permutation(seed);
      const seen = new Uint8Array(LIST_SIZE);
      for (let ordinal = 0; ordinal < LIST_SIZE; ordinal++) {
        const position = permute(ordinal);
        seen[position] = (seen[position] ?? 0) + 1;
      }
      expect(seen.every((count) => count === 1)).toBe(true);
    },
  );

  it('scatters neighbours, and differently with every seed', () => {
    const places = (seed: bigint) => {
      const permute = permutation(seed);
      return Array.from({ length: 1000 }, (_, ordinal) => permute(ordinal));
    };
    const gaps = places(42n).map((place, index, all) => Math.abs(place - (all[index - 1] ?? 0)));
    expect(gaps.filter((gap) => gap < 64).length).toBeLessThan(20);
    expect(places(42n)).not.toEqual(places(43n));
  });
});
