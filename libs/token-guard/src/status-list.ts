import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { compactVerify } from 'jose';
import { isNumericDate, isObject, isOfType, parseCompactJws } from './compact-jws.ts';
import type { SignatureAlgorithm, VerificationKeys } from './verification-keys.ts';

/** 2^20 tokens at 8 bits each. A list of ours is 16 KiB; a few KB of zlib could otherwise fill the memory. */
const MAX_INFLATED_BYTES = 1 << 20;
const DEFAULT_LIFETIME_SECONDS = 60;
const VALID = 0;

const inflateAsync = promisify(inflate);

export interface StatusListExpectations {
  readonly uri: string;
  readonly issuer: string;
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly clockSkewSeconds: number;
}

export type StatusListRefusal =
  | 'malformed'
  | 'unknown-key'
  | 'wrong-signature'
  | 'wrong-subject'
  | 'expired';

/** The statuses of one Token Status List (IETF draft), as of its signing. */
export class StatusList {
  constructor(
    private readonly statuses: Uint8Array,
    private readonly bits: number,
    /** Unix seconds after which this copy must not be believed any more. */
    readonly expiresAt: number,
  ) {}

  /** False for anything but VALID, and for an index that the list does not have: such a token must be rejected. */
  isValid(index: number): boolean {
    const perByte = 8 / this.bits;
    const byte = this.statuses[Math.floor(index / perByte)];
    if (byte === undefined) return false;
    // Entries fill each byte from its least significant bit.
    return ((byte >> ((index % perByte) * this.bits)) & ((1 << this.bits) - 1)) === VALID;
  }
}

/** Verifies a `statuslist+jwt` and opens it. `now` in Unix seconds. */
export async function readStatusList(
  token: string,
  keys: VerificationKeys,
  expected: StatusListExpectations,
  now: number,
): Promise<StatusList | StatusListRefusal> {
  // Bounded by the fetch that brought it, so any length.
  const jws = parseCompactJws(token, MAX_INFLATED_BYTES * 2);
  if (!jws || !isOfType(jws.header, 'statuslist+jwt')) return 'malformed';
  const { header, payload } = jws;
  const key = keys.get(header['kid'] as string);
  if (!key) return 'unknown-key';
  if (key.algorithm !== header['alg'] || !expected.algorithms.includes(key.algorithm))
    return 'wrong-signature';
  try {
    await compactVerify(token, key.key, { algorithms: [key.algorithm] });
  } catch {
    return 'wrong-signature';
  }
  // Without this, the issuer's list for other tokens could be served in the place of this one.
  if (payload['sub'] !== expected.uri) return 'wrong-subject';
  if (payload['iss'] !== undefined && payload['iss'] !== expected.issuer) return 'wrong-subject';
  const expiresAt = expiryOf(payload);
  if (expiresAt === undefined) return 'malformed';
  if (expiresAt + expected.clockSkewSeconds <= now) return 'expired';
  return openList(payload['status_list'], expiresAt + expected.clockSkewSeconds);
}

function expiryOf(payload: Readonly<Record<string, unknown>>): number | undefined {
  const { iat, exp, ttl } = payload;
  if (!isNumericDate(iat)) return undefined;
  if (exp !== undefined) return isNumericDate(exp) ? exp : undefined;
  return iat + (isNumericDate(ttl) ? ttl : DEFAULT_LIFETIME_SECONDS);
}

async function openList(list: unknown, expiresAt: number): Promise<StatusList | 'malformed'> {
  if (!isObject(list) || typeof list['lst'] !== 'string') return 'malformed';
  const bits = list['bits'];
  if (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) return 'malformed';
  try {
    const statuses = await inflateAsync(Buffer.from(list['lst'], 'base64url'), {
      maxOutputLength: MAX_INFLATED_BYTES,
    });
    return new StatusList(statuses, bits, expiresAt);
  } catch {
    return 'malformed';
  }
}
