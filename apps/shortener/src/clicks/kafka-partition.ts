const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/** Kafka's murmur2 of an ASCII key, as the Java client computes it: every producer must agree on the partition of a key. */
export function murmur2(key: string): number {
  const length = key.length;
  let hash = SEED ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let word =
      key.charCodeAt(at) |
      (key.charCodeAt(at + 1) << 8) |
      (key.charCodeAt(at + 2) << 16) |
      (key.charCodeAt(at + 3) << 24);
    word = Math.imul(word, MULTIPLIER);
    word ^= word >>> 24;
    word = Math.imul(word, MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  const rest = length - at;
  if (rest > 2) hash ^= key.charCodeAt(at + 2) << 16;
  if (rest > 1) hash ^= key.charCodeAt(at + 1) << 8;
  if (rest > 0) hash = Math.imul(hash ^ key.charCodeAt(at), MULTIPLIER);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, MULTIPLIER);
  return hash ^ (hash >>> 15);
}

export function partitionOf(code: string, partitions: number): number {
  return (murmur2(code) & 0x7fffffff) % partitions;
}
