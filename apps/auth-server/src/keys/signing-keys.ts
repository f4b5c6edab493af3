import type { JWK } from 'jose';

export const SIGNING_ALGORITHMS = ['ES256', 'RS256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

export interface SigningKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly privateJwk: JWK;
  readonly createdAt: Date;
  /** Absent: the next key, published and waiting. */
  readonly signsFrom: Date | null;
  readonly retiredAt: Date | null;
}

export type KeyState = 'next' | 'current' | 'previous';

/** What a key is at a moment. */
export function stateOf(key: Pick<SigningKey, 'signsFrom' | 'retiredAt'>, now: Date): KeyState {
  if (!key.signsFrom || key.signsFrom > now) return 'next';
  return key.retiredAt && key.retiredAt <= now ? 'previous' : 'current';
}

const ORDER: Readonly<Record<KeyState, number>> = { current: 0, next: 1, previous: 2 };

/** Signing order: the library signs with the first key of an algorithm and publishes all of them. */
export function inSigningOrder(keys: readonly SigningKey[], now: Date): SigningKey[] {
  return [...keys].sort(
    (a, b) =>
      ORDER[stateOf(a, now)] - ORDER[stateOf(b, now)] ||
      a.alg.localeCompare(b.alg) ||
      (b.signsFrom?.getTime() ?? 0) - (a.signsFrom?.getTime() ?? 0) ||
      a.kid.localeCompare(b.kid),
  );
}

/** Identifies an order of keys: two processes with one value publish and sign alike. */
export function fingerprintOf(keys: readonly SigningKey[]): string {
  return keys.map(({ kid }) => kid).join(' ');
}

/**
 * The earliest moment a waiting key may sign: whoever cached the JWKS before it was published has fetched it again by then. A key
 * that was published together with the one it follows was never missing from a JWKS and may sign at any time.
 */
export function mayFirstSignAt(
  next: Pick<SigningKey, 'createdAt'>,
  current: Pick<SigningKey, 'createdAt'>,
  jwksMaxAgeSeconds: number,
): Date {
  if (next.createdAt <= current.createdAt) return next.createdAt;
  return new Date(next.createdAt.getTime() + jwksMaxAgeSeconds * 1000);
}

/** Whether a key has signed for as long as it should. */
export function isDue(
  current: Pick<SigningKey, 'signsFrom'>,
  rotationSeconds: number,
  now: Date,
): boolean {
  if (rotationSeconds === 0 || !current.signsFrom) return false;
  return now.getTime() - current.signsFrom.getTime() >= rotationSeconds * 1000;
}

/** Whether everything that a retired key signed has expired, with the skew that verifiers allow. */
export function isSpent(
  key: Pick<SigningKey, 'retiredAt'>,
  longestTokenSeconds: number,
  now: Date,
): boolean {
  if (!key.retiredAt) return false;
  return now.getTime() > key.retiredAt.getTime() + (longestTokenSeconds + 120) * 1000;
}
