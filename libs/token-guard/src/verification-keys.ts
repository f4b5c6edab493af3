import { type CryptoKey, importJWK, type JWK } from 'jose';
import { isObject, isText } from './compact-jws.ts';

/** Asymmetric algorithms only: with HS*, whoever can verify can sign; with `none`, everyone can. */
export const SIGNATURE_ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** One key, one algorithm (RFC 8725 §3.1): what a token's header says never chooses between two. */
export interface VerificationKey {
  readonly kid: string;
  readonly algorithm: SignatureAlgorithm;
  readonly key: CryptoKey;
  /** Tells whether a kid still stands for the same key. */
  readonly fingerprint: string;
}

export type VerificationKeys = ReadonlyMap<string, VerificationKey>;

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'r', 't', 'k'];

/** A public key of an asymmetric kind; a JWK that shows private parts is compromised, whatever else it says. */
export function isPublicJwk(jwk: unknown): jwk is JWK & { kty: 'EC' | 'RSA' | 'OKP' } {
  if (!isObject(jwk)) return false;
  if (jwk['kty'] !== 'EC' && jwk['kty'] !== 'RSA' && jwk['kty'] !== 'OKP') return false;
  return !PRIVATE_MEMBERS.some((member) => member in jwk);
}

/** The usable keys of a JWK Set (RFC 7517 §5), by kid. Members that we cannot use are passed over. */
export async function importVerificationKeys(
  jwks: unknown,
): Promise<Map<string, VerificationKey> | undefined> {
  if (!isObject(jwks) || !Array.isArray(jwks['keys'])) return undefined;
  const keys = new Map<string, VerificationKey>();
  for (const jwk of jwks['keys'] as unknown[]) {
    const key = await importVerificationKey(jwk);
    if (key && !keys.has(key.kid)) keys.set(key.kid, key);
  }
  return keys;
}

async function importVerificationKey(jwk: unknown): Promise<VerificationKey | undefined> {
  if (!isPublicJwk(jwk) || !isText(jwk.kid)) return undefined;
  if (jwk.use !== undefined && jwk.use !== 'sig') return undefined;
  if (Array.isArray(jwk.key_ops) && !jwk.key_ops.includes('verify')) return undefined;
  const algorithm = jwk.alg ?? usualAlgorithm(jwk);
  if (!isSignatureAlgorithm(algorithm)) return undefined;
  try {
    const key = (await importJWK(jwk, algorithm)) as CryptoKey;
    return { kid: jwk.kid, algorithm, key, fingerprint: JSON.stringify({ ...jwk, algorithm }) };
  } catch {
    return undefined;
  }
}

function usualAlgorithm(jwk: JWK): string | undefined {
  if (jwk.kty === 'RSA') return 'RS256';
  return { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512', Ed25519: 'EdDSA' }[jwk.crv ?? ''];
}

export function isSignatureAlgorithm(value: unknown): value is SignatureAlgorithm {
  return (SIGNATURE_ALGORITHMS as readonly unknown[]).includes(value);
}
