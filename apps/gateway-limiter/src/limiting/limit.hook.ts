import type { Decision, TakeRequest } from '@gatepost/limiter-core';
import type { CallerIdentifier, Identified } from '../identity/caller-identifier.ts';
import { bucketKey } from '../identity/client-key.ts';
import type { CallerSummary, LimitRequest, LimitVerdict, RequestFacts } from './limit-verdict.ts';
import type { LimiterSignals, Outcome } from './limiter-signals.ts';
import type { LimitsInForce } from './limits-in-force.ts';
import type { LocalLimits } from './local-limits.ts';
import type { LimitPlan, PlannedDraw } from './policies.ts';
import { admission, denial, freePass, quotaRefusal, storeAway } from './verdicts.ts';

export interface LimiterParts {
  readonly identifier: Pick<CallerIdentifier, 'identify'>;
  readonly limits: LimitsInForce;
  /** Decides, or gives `undefined` in bounded time when the store is away. Never rejects. */
  readonly take: (request: TakeRequest) => Promise<Decision | undefined>;
  readonly local: Pick<LocalLimits, 'decide'>;
  readonly signals: LimiterSignals;
  /** Unix ms of this machine: for what the store did not decide. */
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Told of every decision of the store: enough to decide it all again elsewhere. Absent, it costs nothing. */
  readonly trace?: ((request: TakeRequest, decision: Decision) => void) | undefined;
}

/** The limiter: who is it, what may it do, is this within it? */
export function createLimiter(parts: LimiterParts): LimitRequest {
  return async (facts) => {
    const startMs = performance.now();
    const identifying = parts.identifier.identify(facts);
    const identified = identifying instanceof Promise ? await identifying : identifying;
    const { outcome, verdict } = await judge(parts, facts, identified);
    const seconds = (performance.now() - startMs) / 1_000;
    parts.signals.noteOutcome(outcome, verdict.caller.tier, seconds);
    return verdict;
  };
}

interface Judgement {
  readonly outcome: Outcome;
  readonly verdict: LimitVerdict;
}

async function judge(
  parts: LimiterParts,
  facts: RequestFacts,
  identified: Identified,
): Promise<Judgement> {
  const { limits, signals } = parts;
  const { caller, address, strip } = identified;
  const { book } = limits;
  const set = limits.limitsOf(caller);
  const addressSet = caller.kind === 'unknown' ? limits.limitsOf(address) : undefined;
  const plan = book.plan(set, addressSet, book.match(facts.method, facts.host, facts.path));
  const summary: CallerSummary = { kind: caller.kind, tier: set.tier, label: caller.label };

  const listed = limits.listed(caller, address);
  if (listed === 'deny')
    return { outcome: 'denied', verdict: denial(plan, summary, parts.nowMs()) };
  if (listed === 'allow')
    return { outcome: 'listed', verdict: freePass(plan, summary, strip, parts.nowMs()) };

  const decision = await decide(parts, plan, identified, {
    isFree: isCorsPreflight(facts),
    tier: set.tier,
  });
  if (!decision)
    return plan.outage === 'closed' && plan.enforced.length > 0
      ? {
          outcome: 'closed',
          verdict: storeAway(plan, summary, parts.nowMs(), parts.random()),
        }
      : { outcome: 'open', verdict: freePass(plan, summary, strip, parts.nowMs()) };

  const { made, isLocal } = decision;
  signals.noteReading(made.reported, set.tier);
  if (made.kind === 'allowed' || plan.enforced.length === 0)
    return {
      outcome: isLocal ? 'local' : 'allowed',
      verdict: admission(made, plan, summary, strip),
    };
  signals.noteRejection(summary, made, parts.nowMs());
  return { outcome: 'refused', verdict: quotaRefusal(made, plan, summary, parts.random()) };
}

/** What is enforced and what only runs along go to the store in one batch, but are decided each for itself. */
async function decide(
  parts: LimiterParts,
  plan: LimitPlan,
  identified: Identified,
  { isFree, tier }: { isFree: boolean; tier: string },
): Promise<{ made: Decision; isLocal: boolean } | undefined> {
  let shadow: Promise<Decision | undefined> | undefined;
  for (const draws of plan.shadows) {
    const taken = parts.take(drawFrom(identified, draws, isFree));
    shadow ??= taken;
    void taken.then((decision) => {
      if (decision?.kind === 'refused')
        parts.signals.noteShadowRejection(draws[0]?.rule ?? '', tier);
    });
  }
  if (plan.enforced.length === 0) {
    const made = await shadow;
    return made && { made, isLocal: false };
  }
  const request = drawFrom(identified, plan.enforced, isFree);
  const made = await parts.take(request);
  if (made) {
    parts.trace?.(request, made);
    return { made, isLocal: false };
  }
  return plan.outage === 'local' ? { made: parts.local.decide(request), isLocal: true } : undefined;
}

function drawFrom(
  { caller, address }: Identified,
  draws: readonly PlannedDraw[],
  isFree: boolean,
): TakeRequest {
  return draws.map(({ from, rule, policy, cost }) => ({
    key: bucketKey(from === 'caller' ? caller.stem : address.stem, rule),
    policy,
    cost: isFree ? 0 : cost,
  }));
}

/** A browser asks before a cross-origin request: not the caller's doing, so it draws nothing. */
function isCorsPreflight({ method, headers }: RequestFacts): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
