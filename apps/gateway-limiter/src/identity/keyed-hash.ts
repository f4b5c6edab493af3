import { hash } from 'node:crypto';

/** Base64url characters kept of a digest: 132 bits, too many for two callers ever to meet. */
const HASH_LENGTH = 22;

/**
 * Names a caller without saying who it is. Keyed, because addresses and short keys can be enumerated: whoever reads
 * the store or a log cannot try them all without the secret. `kind` keeps a user apart from a key of the same name.
 */
export function keyedHash(secret: string, kind: string, value: string): string {
  return hash('sha256', `${secret}\u001f${kind}\u001f${value}`, 'base64url').slice(0, HASH_LENGTH);
}

/** How a credential is found again without keeping it. Fit for API keys, which are random, not for passwords. */
export function credentialDigest(credential: string): string {
  return hash('sha256', credential, 'base64url');
}
