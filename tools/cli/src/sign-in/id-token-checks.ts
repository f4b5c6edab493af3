import { createHash } from 'node:crypto';
import { type CryptoKey, compactVerify } from 'jose';

/** Pinned: nothing in a token or in a key set can add to this list. */
export const ID_TOKEN_ALGORITHMS = ['ES256', 'RS256'] as const;
export type IdTokenAlgorithm = (typeof ID_TOKEN_ALGORITHMS)[number];

const MAX_CLOCK_SKEW_SECONDS = 60;

export interface IdTokenKey {
  readonly algorithm: string;
  readonly key: CryptoKey;
}

export interface IdTokenExpectations {
  /** The issuer's key of that kid: from the cache, and on a miss from the issuer, once. */
  readonly findKey: (kid: string) => Promise<IdTokenKey | undefined>;
  /** The issuer as its discovery document names it. */
  readonly issuer: string;
  readonly clientId: string;
  /** The nonce of the login, or why there is none. */
  readonly nonce: string | typeof NONE_SENT | typeof REFRESHED;
  readonly accessToken: string;
}

/** The device flow (RFC 8628) knows no nonce, its device_code ties the answer to the login: one with a nonce is another's. */
export const NONE_SENT = Symbol('no nonce was sent');
/** The nonce was deleted after the login; a refreshed id_token may repeat it (OpenID Connect Core §12.2). */
export const REFRESHED = Symbol('an id_token that a refresh brought');

/** Who logged in. */
export interface IdTokenClaims {
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
}

export const idTokenRefusals = {
  malformed: 'it is not a signed JWT',
  'unknown-key': 'it is signed by a key that the issuer does not publish',
  'wrong-algorithm': 'its signature algorithm is not one of the accepted ones',
  'wrong-signature': 'its signature is wrong',
  'wrong-issuer': 'it comes from another issuer',
  'wrong-audience': 'it is meant for another client',
  expired: 'it has expired',
  'wrong-nonce': 'it does not belong to this login',
  'wrong-access-token': 'it belongs to another access token',
  'no-subject': 'it does not say who logged in',
} as const;
export type IdTokenRefusal = keyof typeof idTokenRefusals;

/** A value, not an error: the caller decides what it ends. */
export class IdTokenRefused {
  constructor(readonly reason: IdTokenRefusal) {}
}

/**
 * The seven checks of an id_token by its client, in their order: key by kid, signature with a pinned algorithm, iss, aud,
 * exp, nonce, at_hash. Pure but for `findKey`. `now` in Unix seconds.
 */
export async function checkIdToken(
  idToken: string,
  expected: IdTokenExpectations,
  now: number,
): Promise<IdTokenClaims | IdTokenRefused> {
  const parts = parseIdToken(idToken);
  if (!parts) return new IdTokenRefused('malformed');
  const { header, claims } = parts;
  // 1. The key, by kid.
  const { kid, alg } = header;
  const key = typeof kid === 'string' ? await expected.findKey(kid) : undefined;
  if (!key) return new IdTokenRefused('unknown-key');
  // 2. The signature. `none` and HS* are not on the list, and a key serves one algorithm: the header chooses nothing.
  if (!isPinned(alg) || key.algorithm !== alg) return new IdTokenRefused('wrong-algorithm');
  if (!(await isSignedBy(key, alg, idToken))) return new IdTokenRefused('wrong-signature');
  // 3. The issuer, exactly.
  if (claims['iss'] !== expected.issuer) return new IdTokenRefused('wrong-issuer');
  // 4. The audience: this client.
  if (!isMeantFor(expected.clientId, claims)) return new IdTokenRefused('wrong-audience');
  // 5. The expiry.
  const { exp } = claims;
  if (typeof exp !== 'number' || !(exp + MAX_CLOCK_SKEW_SECONDS > now))
    return new IdTokenRefused('expired');
  // 6. The nonce of this login.
  if (!isNonceOf(expected.nonce, claims['nonce'])) return new IdTokenRefused('wrong-nonce');
  // 7. The access token, where the issuer binds it.
  const atHash = claims['at_hash'];
  if (atHash !== undefined && atHash !== hashOfAccessToken(expected.accessToken, alg))
    return new IdTokenRefused('wrong-access-token');
  return readSubject(claims) ?? new IdTokenRefused('no-subject');
}

function parseIdToken(idToken: string) {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(idToken)) return undefined;
  const [header, claims] = idToken.split('.').map(parseObject);
  // An extension that must be understood is one that we do not (RFC 7515 §4.1.11).
  return header && claims && !('crit' in header) ? { header, claims } : undefined;
}

function parseObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isPinned(alg: unknown): alg is IdTokenAlgorithm {
  return (ID_TOKEN_ALGORITHMS as readonly unknown[]).includes(alg);
}

async function isSignedBy(
  { key }: IdTokenKey,
  algorithm: IdTokenAlgorithm,
  idToken: string,
): Promise<boolean> {
  try {
    await compactVerify(idToken, key, { algorithms: [algorithm] });
    return true;
  } catch {
    return false;
  }
}

/** OpenID Connect Core §3.1.3.7, 3 to 5: with several audiences, `azp` says for which client it was made. */
function isMeantFor(clientId: string, { aud, azp }: Record<string, unknown>): boolean {
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(clientId)) return false;
  return azp === undefined ? audiences.length === 1 : azp === clientId;
}

function isNonceOf(expected: IdTokenExpectations['nonce'], nonce: unknown): boolean {
  if (expected === REFRESHED) return true;
  return expected === NONE_SENT ? nonce === undefined : nonce === expected;
}

/** OpenID Connect Core §3.1.3.6: the left half of the hash that belongs to the signature algorithm. */
export function hashOfAccessToken(accessToken: string, algorithm: IdTokenAlgorithm): string {
  const digest = createHash(`sha${algorithm.slice(2)}`)
    .update(accessToken)
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

function readSubject(claims: Record<string, unknown>): IdTokenClaims | undefined {
  const { sub, name, email } = claims;
  if (typeof sub !== 'string' || sub === '') return undefined;
  return {
    subject: sub,
    name: typeof name === 'string' ? name : undefined,
    email: typeof email === 'string' ? email : undefined,
    emailVerified: claims['email_verified'] === true,
  };
}
