import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';

/** A ciphertext that no key at hand opens, or that is not where it belongs. */
export class SealBroken extends Error {}

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

interface PurposeKey {
  readonly id: Buffer;
  readonly key: Buffer;
}

/**
 * Encryption at rest: AES-256-GCM under the first key, opened with whichever key sealed it. Every purpose has a key of its own
 * (HKDF), and `place` (a kid, a row's id) is authenticated along, so that a ciphertext cannot be moved to another row.
 */
export class Sealing {
  private readonly keys: readonly PurposeKey[];

  constructor(keys: readonly Buffer[], purpose: string) {
    this.keys = keys.map((key) => ({
      id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES),
      key: Buffer.from(hkdfSync('sha256', key, '', `gatepost ${purpose}`, 32)),
    }));
    if (this.keys.length === 0) throw new Error('encryption at rest needs a key');
  }

  /** version ‖ key id ‖ nonce ‖ ciphertext ‖ tag. A nonce is 12 random bytes, never used twice. */
  seal(plaintext: string, place: string, nonce: Buffer): Buffer {
    const { id, key } = this.keys[0] as PurposeKey;
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(Buffer.from(place));
    return Buffer.concat([
      Buffer.from([VERSION]),
      id,
      nonce,
      cipher.update(plaintext, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
  }

  /** The plaintext; throws SealBroken when it was altered, moved, or sealed with a key that is gone. */
  open(sealed: Uint8Array, place: string): string {
    const bytes = Buffer.from(sealed);
    const keyId = bytes.subarray(1, 1 + KEY_ID_BYTES);
    const found = this.keys.find(({ id }) => id.equals(keyId));
    if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES + TAG_BYTES || !found)
      throw new SealBroken('no key at hand opens this');
    const nonce = bytes.subarray(1 + KEY_ID_BYTES, HEAD_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', found.key, nonce);
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES), undefined, 'utf8');
      return text + decipher.final('utf8');
    } catch (error) {
      throw new SealBroken('the ciphertext was altered or belongs elsewhere', { cause: error });
    }
  }

  /** Whether the key that new ciphertexts are sealed with sealed this one. */
  isCurrent(sealed: Uint8Array): boolean {
    return Buffer.from(sealed)
      .subarray(1, 1 + KEY_ID_BYTES)
      .equals((this.keys[0] as PurposeKey).id);
  }
}
