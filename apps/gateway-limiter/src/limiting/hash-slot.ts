const SLOTS = 16_384;
const slotByTag = new Map<string, number>();

/** The part of a bucket's key that decides on which node of a cluster it lives: what stands in its braces. */
export function hashTagOf(key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open < 0 || close <= open + 1 ? key : key.slice(open + 1, close);
}

/** Redis Cluster's slot of a tag: CRC-16/XMODEM mod 16384. Tags are two characters, so all of them fit in the memo. */
export function hashSlotOf(tag: string): number {
  let slot = slotByTag.get(tag);
  if (slot === undefined) {
    let crc = 0;
    for (const byte of Buffer.from(tag)) {
      crc ^= byte << 8;
      for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    }
    slot = (crc & 0xffff) % SLOTS;
    if (slotByTag.size < 8_192) slotByTag.set(tag, slot);
  }
  return slot;
}
