import { deflateSync } from 'node:zlib';
import { LIST_SIZE } from './permutation.ts';

/** The `lst` member: one bit a token, least significant first (Token Status List section 4.1), zlib, base64url. */
export function encodeList(revoked: Iterable<number>): string {
  const bits = new Uint8Array(LIST_SIZE / 8);
  for (const position of revoked) {
    const byte = position >> 3;
    bits[byte] = (bits[byte] as number) | (1 << (position & 7));
  }
  return deflateSync(bits, { level: 9 }).toString('base64url');
}

/** The claims of a status list token (section 5.1). `ttl` is how long a copy may be kept before asking again. */
export function statusListClaims(list: {
  uri: string;
  issuer: string;
  revoked: Iterable<number>;
  issuedAtSeconds: number;
  expiresAtSeconds: number;
  ttlSeconds: number;
}): Record<string, unknown> {
  return {
    iss: list.issuer,
    sub: list.uri,
    iat: list.issuedAtSeconds,
    exp: list.expiresAtSeconds,
    ttl: list.ttlSeconds,
    status_list: { bits: 1, lst: encodeList(list.revoked) },
  };
}
