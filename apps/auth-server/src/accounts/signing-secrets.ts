import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a secret is used for; secrets of one purpose say nothing about those of another. */
export type SecretPurpose = 'attempt-counts' | 'known-browser' | 'form';

/** Keys of one purpose, derived from the cookie keys: the first signs, all verify. */
export function deriveSecrets(cookieKeys: readonly string[], purpose: SecretPurpose): Buffer[] {
  return cookieKeys.map((key) => createHmac('sha256', key).update(`gatepost ${purpose}`).digest());
}

/** Signature over parts, whose boundaries are part of it. */
export function sign(secret: Buffer, parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
}

/** Whether one of the secrets made this signature; takes the same time wherever they differ. */
export function isSigned(
  secrets: readonly Buffer[],
  parts: readonly string[],
  signature: string,
): boolean {
  const given = Buffer.from(signature);
  return secrets.some((secret) => {
    const expected = Buffer.from(sign(secret, parts));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
