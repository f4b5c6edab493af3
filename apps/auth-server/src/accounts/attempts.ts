/** How often a password was wrong: for an account, for a browser that its owner has used before, or for an address. */
export interface AttemptCount {
  readonly failures: number;
  /** When the counting began. */
  readonly windowStart: Date;
  readonly blockedUntil: Date | undefined;
  /** When the last attempt was counted. */
  readonly updatedAt: Date;
}

/** A rule in numbers, for the database works by the same ones. */
export interface AttemptRule {
  /** From this failure on, the next attempt has to wait. */
  readonly failuresAllowed: number;
  /** After this the count does not matter any more. */
  readonly memoryMs: number;
  /** The first wait, doubled with each further failure; 0: until the memory of the first failure fades. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

const QUARTER_HOUR_MS = 15 * 60_000;

/** Five free failures, then 5, 10, 20, 40, 60, 60 … seconds before each further attempt; forgotten after a quiet quarter of an hour. */
export const accountRule: AttemptRule = {
  failuresAllowed: 5,
  memoryMs: QUARTER_HOUR_MS,
  firstWaitMs: 5_000,
  longestWaitMs: 60_000,
};

/** A hundred failures in a quarter of an hour, whatever the accounts; then nothing more until the quarter is over. */
export const addressRule: AttemptRule = {
  failuresAllowed: 100,
  memoryMs: QUARTER_HOUR_MS,
  firstWaitMs: 0,
  longestWaitMs: QUARTER_HOUR_MS,
};

/** Age at which every rule has forgotten a count: it may be deleted. */
export const ATTEMPT_MEMORY_MS = QUARTER_HOUR_MS + accountRule.longestWaitMs;

export type AttemptDecision =
  | { readonly allowed: true; readonly count: AttemptCount }
  | { readonly allowed: false; readonly waitMs: number };

/**
 * Decides on one attempt and counts it as failed at once, before the password is looked at: of many attempts sent in
 * parallel no more get through than of the same attempts sent one by one. A right password gives the attempt back.
 * A refused attempt counts for nothing.
 */
export function takeAttempt(
  rule: AttemptRule,
  before: AttemptCount | undefined,
  now: Date,
): AttemptDecision {
  const current = before && !isForgotten(rule, before, now) ? before : undefined;
  const waitMs = (current?.blockedUntil?.getTime() ?? 0) - now.getTime();
  if (waitMs > 0) return { allowed: false, waitMs };
  const failures = (current?.failures ?? 0) + 1;
  const windowStart = current?.windowStart ?? now;
  const blockedUntil =
    failures < rule.failuresAllowed ? undefined : nextAttemptAt(rule, failures, windowStart, now);
  return { allowed: true, count: { failures, windowStart, blockedUntil, updatedAt: now } };
}

function isForgotten(rule: AttemptRule, count: AttemptCount, now: Date): boolean {
  const since = rule.firstWaitMs === 0 ? count.windowStart : count.updatedAt;
  return count.failures === 0 || now.getTime() - since.getTime() >= rule.memoryMs;
}

function nextAttemptAt(rule: AttemptRule, failures: number, windowStart: Date, now: Date): Date {
  if (rule.firstWaitMs === 0) return new Date(windowStart.getTime() + rule.memoryMs);
  const doubled = rule.firstWaitMs * 2 ** (failures - rule.failuresAllowed);
  return new Date(now.getTime() + Math.min(rule.longestWaitMs, doubled));
}

/** Whole seconds to wait, as `Retry-After` and the page say it; never 0. */
export function toRetryAfterSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** The sentence a person reads when an attempt is refused. */
export function describeWait(retryAfterSeconds: number): string {
  return `Too many attempts, try again in ${retryAfterSeconds} s`;
}
