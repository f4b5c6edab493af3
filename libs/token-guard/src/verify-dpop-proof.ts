import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose';
import { type TokenRefusal, TokenRefused } from './access-token.ts';
import {
  type CompactJws,
  isNumericDate,
  isOfType,
  isText,
  parseCompactJws,
} from './compact-jws.ts';
import { digestOf } from './digest.ts';
import { isPublicJwk, type SignatureAlgorithm } from './verification-keys.ts';

export interface ProofExpectations {
  readonly method: string;
  /** The address as the client knows it, public, whatever the proxies made of it. */
  readonly url: string;
  readonly accessToken: string;
  /** `cnf.jkt` of the access token. */
  readonly keyThumbprint: string;
  readonly algorithms: readonly SignatureAlgorithm[];
  /** How old a proof may be. */
  readonly lifetimeSeconds: number;
  readonly clockSkewSeconds: number;
}

/** What the replay check needs of a good proof. */
export interface AcceptedProof {
  readonly proofId: string;
  /** Unix seconds. */
  readonly issuedAt: number;
}

interface Evidence extends CompactJws {
  readonly expected: ProofExpectations;
  readonly now: number;
}

/** RFC 9449 §4.3, without its last point: replays need a memory. The signature comes last because it is what costs. */
const checks: readonly ((evidence: Evidence) => TokenRefusal | undefined)[] = [
  isProof,
  hasPinnedAlgorithm,
  hasPublicKey,
  hasIdentity,
  isForThisRequest,
  isForThisToken,
  isRecent,
];

/** Pure: the proof, what it must prove, and the time (Unix seconds). */
export async function verifyDpopProof(
  proof: string,
  expected: ProofExpectations,
  now: number,
): Promise<AcceptedProof | TokenRefused> {
  const jws = parseCompactJws(proof);
  if (!jws) return new TokenRefused('proof-malformed');
  const evidence = { ...jws, expected, now };
  for (const check of checks) {
    const refusal = check(evidence);
    if (refusal) return new TokenRefused(refusal);
  }
  const refusal = await refuseKeyOrSignature(proof, evidence);
  if (refusal) return new TokenRefused(refusal);
  return { proofId: jws.payload['jti'] as string, issuedAt: jws.payload['iat'] as number };
}

function isProof({ header }: Evidence): TokenRefusal | undefined {
  return isOfType(header, 'dpop+jwt') ? undefined : 'proof-malformed';
}

function hasPinnedAlgorithm({ header, expected }: Evidence): TokenRefusal | undefined {
  const isPinned = (expected.algorithms as readonly unknown[]).includes(header['alg']);
  return isPinned ? undefined : 'proof-wrong-algorithm';
}

function hasPublicKey({ header }: Evidence): TokenRefusal | undefined {
  return isPublicJwk(header['jwk']) ? undefined : 'proof-malformed';
}

function hasIdentity({ payload }: Evidence): TokenRefusal | undefined {
  return isText(payload['jti']) && isNumericDate(payload['iat']) ? undefined : 'proof-malformed';
}

function isForThisRequest({ payload, expected }: Evidence): TokenRefusal | undefined {
  const { htm, htu } = payload;
  if (typeof htu !== 'string' || htm !== expected.method) return 'proof-wrong-request';
  const claimed = normalizeTarget(htu);
  const isSame = claimed !== undefined && claimed === normalizeTarget(expected.url);
  return isSame ? undefined : 'proof-wrong-request';
}

function isForThisToken({ payload, expected }: Evidence): TokenRefusal | undefined {
  const isSame = payload['ath'] === digestOf(expected.accessToken, 'base64url');
  return isSame ? undefined : 'proof-wrong-token';
}

function isRecent({ payload, expected, now }: Evidence): TokenRefusal | undefined {
  const issuedAt = payload['iat'] as number;
  const { lifetimeSeconds, clockSkewSeconds } = expected;
  const isWithin =
    issuedAt <= now + clockSkewSeconds && issuedAt > now - lifetimeSeconds - clockSkewSeconds;
  return isWithin ? undefined : 'proof-wrong-time';
}

async function refuseKeyOrSignature(
  proof: string,
  { header, expected }: Evidence,
): Promise<TokenRefusal | undefined> {
  const jwk = header['jwk'];
  if (!isPublicJwk(jwk)) return 'proof-malformed';
  const algorithm = header['alg'] as SignatureAlgorithm;
  try {
    const thumbprint = await calculateJwkThumbprint(jwk, 'sha256');
    if (thumbprint !== expected.keyThumbprint) return 'proof-wrong-key';
    await compactVerify(proof, await importJWK(jwk, algorithm), { algorithms: [algorithm] });
    return undefined;
  } catch {
    return 'proof-wrong-signature';
  }
}

/**
 * RFC 9449 §4.3: without query and fragment, after the normalisations of RFC 3986 §6.2.2 and §6.2.3. The URL parser does
 * case of scheme and host, default ports and dot segments; the percent-encodings are left to us.
 */
export function normalizeTarget(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, pathname, username, password } = new URL(address);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined;
  const path = pathname.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
  });
  return `${protocol}//${host}${path}`;
}
