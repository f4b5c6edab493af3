import type { Decision, Refused } from '@gatepost/limiter-core';
import type { CallerSummary, LimitVerdict, Refusal, Unavailability } from './limit-verdict.ts';
import type { LimitPlan } from './policies.ts';
import {
  bucketLabel,
  rateLimitHeaders,
  retryAfterSeconds,
  undecidedHeaders,
} from './rate-limit-headers.ts';

/** While the store is away and the policy is `closed`: it is looked for ten times a second. */
const STORE_AWAY_WAIT_MS = 1_000;
const STORE_AWAY_SPREAD_SECONDS = 3;

type Strip = Extract<LimitVerdict, { kind: 'admit' }>['strip'];

/** Counted, and within its limits (or nobody enforces them). */
export function admission(
  decision: Decision,
  plan: LimitPlan,
  caller: CallerSummary,
  strip: Strip,
): LimitVerdict {
  const { decidedAtMs, reported } = decision;
  const headers = rateLimitHeaders({ kind: 'allowed', decidedAtMs, reported }, plan.policyField, 0);
  return { kind: 'admit', headers, caller, strip };
}

/** Not counted: on the allow list, or the store is away and the policy is `open`. All is left, by the header. */
export function freePass(
  plan: LimitPlan,
  caller: CallerSummary,
  strip: Strip,
  nowMs: number,
): LimitVerdict {
  return { kind: 'admit', headers: uncountedHeaders(plan, nowMs), caller, strip };
}

export function quotaRefusal(
  decision: Refused,
  plan: LimitPlan,
  caller: CallerSummary,
  jitter: number,
): Refusal {
  const { policy, window } = decision.reported;
  const wait = retryAfterSeconds(decision.waitMs, jitter);
  return {
    kind: 'refuse',
    status: 429,
    headers: rateLimitHeaders(decision, plan.policyField, jitter),
    caller,
    problem: {
      code: 'quota-exceeded',
      detail: `The quota "${bucketLabel(policy, window)}" is used up. Try again in ${wait} s.`,
      extensions: {
        'violated-policies': decision.refusing.map((reading) =>
          bucketLabel(reading.policy, reading.window),
        ),
      },
    },
  };
}

export function denial(plan: LimitPlan, caller: CallerSummary, nowMs: number): Refusal {
  return {
    kind: 'refuse',
    status: 403,
    headers: uncountedHeaders(plan, nowMs),
    caller,
    problem: { code: 'caller-denied', detail: 'This gateway does not serve you.' },
  };
}

/** Fail-closed: 503, for the caller has done nothing wrong. */
export function storeAway(
  plan: LimitPlan,
  caller: CallerSummary,
  nowMs: number,
  jitter: number,
): Unavailability {
  const wait = STORE_AWAY_WAIT_MS / 1_000 + Math.floor(jitter * STORE_AWAY_SPREAD_SECONDS);
  return {
    kind: 'unavailable',
    status: 503,
    headers: uncountedHeaders(plan, nowMs, wait),
    caller,
    problem: {
      code: 'limiter-unavailable',
      detail: `Requests cannot be counted at the moment. Try again in ${wait} s.`,
    },
  };
}

function uncountedHeaders(plan: LimitPlan, nowMs: number, waitSeconds?: number): string[] {
  const { policy } = plan.shown;
  const [window] = policy.windows;
  if (!window) return [];
  const label = bucketLabel(policy, window);
  return undecidedHeaders(window, label, plan.policyField, nowMs, waitSeconds);
}
