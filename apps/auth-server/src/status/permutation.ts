/** Entries of one status list: 2^17 bits are 16 KiB, about 2 KB compressed. */
export const LIST_SIZE = 1 << 17;
const MASK = LIST_SIZE - 1;
const ROUNDS = 4;

/**
 * Where the n-th token of a list is published: a permutation of the list's positions that looks random without the seed, so that
 * neither the index in a token nor the bits of a list tell how many tokens were issued or which are neighbours.
 * Multiplication by an odd number, addition, and an xor with shifted bits are each reversible modulo a power of two.
 */
export function permutation(seed: bigint): (ordinal: number) => number {
  const constants: { factor: number; addend: number }[] = [];
  let state = seed;
  for (let round = 0; round < ROUNDS; round++) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    constants.push({
      factor: Number((state >> 33n) & BigInt(MASK)) | 1,
      addend: Number((state >> 13n) & BigInt(MASK)),
    });
  }
  return (ordinal) => {
    let position = ordinal & MASK;
    for (const { factor, addend } of constants) {
      // Only the low bits matter, and Math.imul keeps the low 32.
      position = (Math.imul(position, factor) + addend) & MASK;
      position ^= position >> 8;
      position ^= position >> 11;
    }
    return position;
  };
}
