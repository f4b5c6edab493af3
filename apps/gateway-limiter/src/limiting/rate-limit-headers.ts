import {
  type BucketReading,
  type Decision,
  fullAfterMs,
  nextTokenAfterMs,
  type Policy,
  type Window,
  wholeTokens,
} from '@gatepost/limiter-core';

/** Doubles are a hair off; a wait of 1000.0000000001 ms is one second, not two. */
const ROUNDING_MS = 1e-3;

/** Name of a bucket in RateLimit, RateLimit-Policy and `violated-policies`. */
export function bucketLabel(policy: Policy, window: Window): string {
  return policy.name === '' ? window.name : `${policy.name}-${window.name}`;
}

/**
 * RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-11): a list of quoted strings, `q` the capacity, `w` the
 * seconds in which an empty bucket fills. Both together say the rate, and `r` never exceeds `q`.
 */
export function policyField(policies: readonly Policy[]): string {
  const items: string[] = [];
  for (const policy of policies)
    for (const window of policy.windows) {
      const seconds = Math.max(1, Math.ceil(window.capacity / window.refillPerSecond - 1e-9));
      items.push(`"${bucketLabel(policy, window)}";q=${Math.floor(window.capacity)};w=${seconds}`);
    }
  return items.join(', ');
}

/** The fields of an admitted request or of a refusal. `jitter` is in [0, 1) and only ever lengthens a wait. */
export function rateLimitHeaders(decision: Decision, policies: string, jitter: number): string[] {
  const { reported } = decision;
  const remaining = wholeTokens(reported);
  const resetAt = Math.ceil((decision.decidedAtMs + fullAfterMs(reported) - ROUNDING_MS) / 1_000);
  const headers = [
    'X-RateLimit-Limit',
    String(Math.floor(reported.window.capacity)),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(resetAt),
    'RateLimit-Policy',
    policies,
    'RateLimit',
    rateLimitField(reported, remaining),
  ];
  if (decision.kind === 'refused')
    headers.push('Retry-After', String(retryAfterSeconds(decision.waitMs, jitter)));
  return headers;
}

/**
 * The fields where nothing was decided: a caller that is not limited, or a store that is away. A store that is away
 * and must be waited for gives `retryAfterSeconds`, and then nothing remains.
 */
export function undecidedHeaders(
  window: Window,
  label: string,
  policies: string,
  nowMs: number,
  retryAfterSeconds?: number,
): string[] {
  const limit = Math.floor(window.capacity);
  const remaining = retryAfterSeconds === undefined ? limit : 0;
  const headers = [
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(Math.ceil(nowMs / 1_000) + (retryAfterSeconds ?? 0)),
    'RateLimit-Policy',
    policies,
    'RateLimit',
    retryAfterSeconds === undefined
      ? `"${label}";r=${remaining}`
      : `"${label}";r=0;t=${retryAfterSeconds}`,
  ];
  if (retryAfterSeconds !== undefined) headers.push('Retry-After', String(retryAfterSeconds));
  return headers;
}

/**
 * Whole seconds, at least 1, never too early. Many callers refused at one moment must not all come back at another:
 * up to a tenth of the wait, 5 s at most, is added.
 */
export function retryAfterSeconds(waitMs: number, jitter: number): number {
  const spreadMs = Math.min(waitMs / 10, 5_000) * jitter;
  return Math.max(1, Math.ceil((waitMs + spreadMs - ROUNDING_MS) / 1_000));
}

/** `t`: whole seconds until there is more, absent when the bucket is full and nothing will come. */
function rateLimitField(reading: BucketReading, remaining: number): string {
  const label = bucketLabel(reading.policy, reading.window);
  const nextMs = nextTokenAfterMs(reading);
  if (nextMs === undefined) return `"${label}";r=${remaining}`;
  return `"${label}";r=${remaining};t=${Math.max(1, Math.ceil((nextMs - ROUNDING_MS) / 1_000))}`;
}
