import type { Policy, Window } from './policy.ts';
import { excessOf, TOKEN_EPSILON } from './token-bucket.ts';

/** One bucket as it stands after a decision. */
export interface BucketReading {
  readonly policy: Policy;
  readonly window: Window;
  /** Tokens left, a fraction included. */
  readonly tokens: number;
}

/** The tokens were there and are drawn. `reported` is the bucket with the least left in proportion to its capacity. */
export interface Allowed {
  readonly kind: 'allowed';
  /** The store's time of the decision, Unix ms. */
  readonly decidedAtMs: number;
  readonly reported: BucketReading;
}

/** Nothing was drawn anywhere. `reported` is the refusing bucket with the longest wait. */
export interface Refused {
  readonly kind: 'refused';
  readonly decidedAtMs: number;
  readonly reported: BucketReading;
  /** After this the same request is admitted, if nobody else draws meanwhile. */
  readonly waitMs: number;
  readonly refusing: readonly BucketReading[];
}

export type Decision = Allowed | Refused;

/** What is drawn from one caller's buckets of one policy. Cost 0 looks without drawing. */
export interface BucketDraw {
  readonly key: string;
  readonly policy: Policy;
  readonly cost: number;
}

/**
 * Puts a store's answer into words. `used` holds the used tokens of all windows of all draws in order, after the draw
 * if `admitted`, else as they stood.
 */
export function toDecision(
  draws: readonly BucketDraw[],
  used: ArrayLike<number>,
  admitted: boolean,
  nowUs: number,
): Decision {
  const decidedAtMs = nowUs / 1_000;
  if (admitted) return { kind: 'allowed', decidedAtMs, reported: mostDrained(draws, used) };
  return toRefusal(draws, used, decidedAtMs);
}

/** On a tie the later bucket, which is the longer window: it takes longer to recover. */
function mostDrained(draws: readonly BucketDraw[], used: ArrayLike<number>): BucketReading {
  let least = Number.POSITIVE_INFINITY;
  let policy: Policy | undefined;
  let window: Window | undefined;
  let tokens = 0;
  let index = 0;
  for (const draw of draws) {
    for (const candidate of draw.policy.windows) {
      const left = candidate.capacity - (used[index++] as number);
      const share = left / candidate.capacity;
      if (share > least) continue;
      least = share;
      policy = draw.policy;
      window = candidate;
      tokens = left;
    }
  }
  return { policy: policy as Policy, window: window as Window, tokens: Math.max(0, tokens) };
}

function toRefusal(
  draws: readonly BucketDraw[],
  used: ArrayLike<number>,
  decidedAtMs: number,
): Refused {
  const refusing: BucketReading[] = [];
  let reported: BucketReading | undefined;
  let waitMs = 0;
  let index = 0;
  for (const { policy, cost } of draws) {
    for (const window of policy.windows) {
      const inUse = used[index++] as number;
      const excess = excessOf(inUse, window, cost);
      if (excess <= TOKEN_EPSILON) continue;
      const reading = { policy, window, tokens: Math.max(0, window.capacity - inUse) };
      refusing.push(reading);
      const wait = (excess / window.refillPerSecond) * 1_000;
      if (reported && wait < waitMs) continue;
      reported = reading;
      waitMs = wait;
    }
  }
  return {
    kind: 'refused',
    decidedAtMs,
    reported: reported ?? mostDrained(draws, used),
    waitMs,
    refusing,
  };
}

/** Whole tokens left. */
export function wholeTokens(reading: BucketReading): number {
  return Math.floor(reading.tokens + TOKEN_EPSILON);
}

/** ms until the bucket is full again. */
export function fullAfterMs(reading: BucketReading): number {
  return ((reading.window.capacity - reading.tokens) / reading.window.refillPerSecond) * 1_000;
}

/** ms until one more whole token is there; `undefined` when the bucket is full and none will come. */
export function nextTokenAfterMs(reading: BucketReading): number | undefined {
  const { capacity, refillPerSecond } = reading.window;
  const next = wholeTokens(reading) + 1;
  if (next > capacity + TOKEN_EPSILON) {
    return reading.tokens >= capacity - TOKEN_EPSILON ? undefined : fullAfterMs(reading);
  }
  return ((next - reading.tokens) / refillPerSecond) * 1_000;
}
