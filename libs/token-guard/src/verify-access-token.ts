import { compactVerify } from 'jose';
import { type AccessTokenClaims, type TokenRefusal, TokenRefused } from './access-token.ts';
import {
  type CompactJws,
  isNumericDate,
  isObject,
  isOfType,
  isText,
  parseCompactJws,
} from './compact-jws.ts';
import type { SignatureAlgorithm, VerificationKeys } from './verification-keys.ts';

export interface Expectations {
  /** Compared character by character. */
  readonly issuer: string;
  /** Must be among the token's audiences. An id_token's audience is a client and fails here. */
  readonly audience: string;
  readonly algorithms: readonly SignatureAlgorithm[];
  /** Clocks may differ by this much; at most 60. */
  readonly clockSkewSeconds: number;
}

interface Evidence extends CompactJws {
  readonly expected: Expectations;
  readonly keys: VerificationKeys;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * RFC 9068 §4, as a list. The signature comes last because it is what costs: forgeries that do not even claim the right
 * things are turned away for a few microseconds, and never make us ask the issuer for keys.
 */
const checks: readonly ((evidence: Evidence) => TokenRefusal | undefined)[] = [
  isAccessToken,
  hasPinnedAlgorithm,
  hasIssuer,
  hasAudience,
  hasRequiredClaims,
  isNotExpired,
  isValidAlready,
  hasKnownConfirmation,
  hasReadableStatus,
  hasKnownKey,
];

/** Pure: the token, the issuer's keys, what is expected of the token, and the time (Unix seconds). */
export async function verifyAccessToken(
  token: string,
  keys: VerificationKeys,
  expected: Expectations,
  now: number,
): Promise<AccessTokenClaims | TokenRefused> {
  const jws = parseCompactJws(token);
  if (!jws) return new TokenRefused('malformed');
  const evidence = { ...jws, keys, expected, now };
  for (const check of checks) {
    const refusal = check(evidence);
    if (refusal) return new TokenRefused(refusal);
  }
  if (!(await hasGoodSignature(token, evidence))) return new TokenRefused('wrong-signature');
  return toClaims(jws.payload);
}

/** RFC 9068 §2.1 exists so that an id_token cannot be passed off as an access token. */
function isAccessToken({ header }: Evidence): TokenRefusal | undefined {
  return isOfType(header, 'at+jwt') ? undefined : 'wrong-type';
}

function hasPinnedAlgorithm({ header, expected }: Evidence): TokenRefusal | undefined {
  const isPinned = (expected.algorithms as readonly unknown[]).includes(header['alg']);
  return isPinned ? undefined : 'wrong-algorithm';
}

function hasIssuer({ payload, expected }: Evidence): TokenRefusal | undefined {
  return payload['iss'] === expected.issuer ? undefined : 'wrong-issuer';
}

function hasAudience({ payload, expected }: Evidence): TokenRefusal | undefined {
  return audienceOf(payload).includes(expected.audience) ? undefined : 'wrong-audience';
}

function hasRequiredClaims({ payload }: Evidence): TokenRefusal | undefined {
  const isComplete =
    isText(payload['sub']) &&
    isText(payload['client_id']) &&
    isText(payload['jti']) &&
    isNumericDate(payload['exp']) &&
    isNumericDate(payload['iat']) &&
    (payload['nbf'] === undefined || isNumericDate(payload['nbf'])) &&
    (payload['scope'] === undefined || typeof payload['scope'] === 'string');
  return isComplete ? undefined : 'missing-claim';
}

function isNotExpired({ payload, expected, now }: Evidence): TokenRefusal | undefined {
  return (payload['exp'] as number) + expected.clockSkewSeconds > now ? undefined : 'expired';
}

function isValidAlready({ payload, expected, now }: Evidence): TokenRefusal | undefined {
  const begins = Math.max(payload['iat'] as number, (payload['nbf'] as number | undefined) ?? 0);
  return begins <= now + expected.clockSkewSeconds ? undefined : 'not-yet-valid';
}

/** A binding that we cannot check would silently turn into a bearer token. */
function hasKnownConfirmation({ payload }: Evidence): TokenRefusal | undefined {
  const { cnf } = payload;
  if (cnf === undefined) return undefined;
  const isKnown = isObject(cnf) && Object.keys(cnf).length === 1 && isText(cnf['jkt']);
  return isKnown ? undefined : 'unknown-confirmation';
}

/** A status that we cannot read would silently turn into "not revoked". */
function hasReadableStatus({ payload }: Evidence): TokenRefusal | undefined {
  if (payload['status'] === undefined) return undefined;
  return statusOf(payload) ? undefined : 'missing-status';
}

function hasKnownKey({ header, keys }: Evidence): TokenRefusal | undefined {
  const key = keys.get(header['kid'] as string);
  if (!key) return 'unknown-key';
  return key.algorithm === header['alg'] ? undefined : 'wrong-algorithm';
}

async function hasGoodSignature(token: string, { header, keys }: Evidence): Promise<boolean> {
  const key = keys.get(header['kid'] as string);
  if (!key) return false;
  try {
    await compactVerify(token, key.key, { algorithms: [key.algorithm] });
    return true;
  } catch {
    return false;
  }
}

function toClaims(payload: Readonly<Record<string, unknown>>): AccessTokenClaims {
  const scope = (payload['scope'] as string | undefined) ?? '';
  return {
    issuer: payload['iss'] as string,
    subject: payload['sub'] as string,
    clientId: payload['client_id'] as string,
    audience: audienceOf(payload),
    scopes: new Set(scope.split(' ').filter((name) => name !== '')),
    expiresAt: payload['exp'] as number,
    issuedAt: payload['iat'] as number,
    tokenId: payload['jti'] as string,
    status: statusOf(payload),
    keyThumbprint: (payload['cnf'] as { jkt: string } | undefined)?.jkt,
  };
}

function audienceOf({ aud }: Readonly<Record<string, unknown>>): string[] {
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  return audiences.filter((audience) => typeof audience === 'string');
}

function statusOf({ status }: Readonly<Record<string, unknown>>): AccessTokenClaims['status'] {
  const list = isObject(status) ? status['status_list'] : undefined;
  if (!isObject(list) || !isText(list['uri'])) return undefined;
  const index = list['idx'];
  if (!Number.isSafeInteger(index) || (index as number) < 0) return undefined;
  return { uri: list['uri'], index: index as number };
}
