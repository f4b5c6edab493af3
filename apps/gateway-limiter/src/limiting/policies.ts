import type { LimitOverride, LimitsDefinition } from '@gatepost/contracts';
import { definePolicy, type Policy, type WindowLimits } from '@gatepost/limiter-core';
import type { OutagePolicy } from './outage.ts';
import { policyField } from './rate-limit-headers.ts';
import {
  comparablePath,
  matchesRequest,
  type RequestPattern,
  readRequestPattern,
} from './request-pattern.ts';

interface CompiledRule {
  readonly name: string;
  readonly patterns: readonly { readonly pattern: RequestPattern; readonly cost: number }[];
  readonly limits: ReadonlyMap<string, WindowLimits> | undefined;
  readonly shadow: boolean;
  readonly outage: OutagePolicy | undefined;
}

/** The rules that a request falls under, and what it costs under each. One object for equal outcomes. */
export interface RuleMatch {
  readonly rules: readonly { readonly rule: CompiledRule; readonly cost: number }[];
  /** Tokens of the tier's own buckets. */
  readonly cost: number;
  readonly outage: OutagePolicy;
}

/** What one tier, or one override, grants. One object for equal grants. */
export interface LimitSet {
  readonly tier: string;
  /** `''` holds the tier's own policy, the rules' stand under their names. */
  readonly policies: ReadonlyMap<string, Policy>;
}

/** A draw to be made once it is known from whom. */
export interface PlannedDraw {
  readonly from: 'caller' | 'address';
  /** Rule, `''` for the tier's own. */
  readonly rule: string;
  readonly policy: Policy;
  readonly cost: number;
}

/** Everything about a kind of request of a kind of caller that does not depend on the moment. */
export interface LimitPlan {
  /** Made together or not at all. */
  readonly enforced: readonly PlannedDraw[];
  /** Made each for itself, counted, and never refused for. */
  readonly shadows: readonly (readonly PlannedDraw[])[];
  readonly outage: OutagePolicy;
  /** The draw that is shown where nothing was counted. */
  readonly shown: PlannedDraw;
  /** RateLimit-Policy. */
  readonly policyField: string;
}

const STRICTNESS: Record<OutagePolicy, number> = { open: 0, local: 1, closed: 2 };

/** All limits in force: from a definition, which does not change. Pure: the same request gets the same plan. */
export class LimitBook {
  private readonly rules: readonly CompiledRule[];
  private readonly tiers = new Map<string, LimitSet>();
  private readonly overridden = new WeakMap<LimitOverride, LimitSet>();
  private readonly matches = new Map<string, RuleMatch>();
  private readonly plans = new WeakMap<
    LimitSet,
    Map<RuleMatch, Map<LimitSet | undefined, LimitPlan>>
  >();
  private readonly noRules: RuleMatch;

  constructor(
    readonly definition: LimitsDefinition,
    private readonly defaultOutage: OutagePolicy,
  ) {
    this.rules = definition.rules.map((rule) => ({
      name: rule.name,
      patterns: rule.match.map((entry) => ({
        pattern: readRequestPattern(entry.request, 'host' in entry ? entry.host : undefined),
        cost: ('cost' in entry ? entry.cost : undefined) ?? rule.cost,
      })),
      limits: rule.limits && new Map(Object.entries(rule.limits)),
      shadow: rule.shadow,
      outage: rule.outage,
    }));
    for (const [tier, limits] of Object.entries(definition.tiers))
      this.tiers.set(tier, this.grant(tier, limits, {}));
    this.noRules = { rules: [], cost: 1, outage: defaultOutage };
  }

  match(method: string, host: string, path: string): RuleMatch {
    if (this.rules.length === 0) return this.noRules;
    const comparable = comparablePath(path);
    let identity = '';
    const found: { rule: CompiledRule; cost: number }[] = [];
    for (const rule of this.rules) {
      for (const { pattern, cost } of rule.patterns) {
        if (!matchesRequest(pattern, method, host, comparable)) continue;
        found.push({ rule, cost });
        identity += `${rule.name} ${cost} `;
        break;
      }
    }
    return identity === '' ? this.noRules : this.internMatch(identity, found);
  }

  hasTier(tier: string): boolean {
    return this.tiers.has(tier);
  }

  /** Tiers that the definition lost since a key or an override was given one count as `free`. */
  setOf(tier: string): LimitSet {
    return this.tiers.get(tier) ?? (this.tiers.get('free') as LimitSet);
  }

  /** What an override makes of a tier. */
  setWith(override: LimitOverride, tier: string): LimitSet {
    let set = this.overridden.get(override);
    if (!set || (override.tier === undefined && set.tier !== tier)) {
      const effective = this.setOf(override.tier ?? tier).tier;
      const limits = { ...this.definition.tiers[effective], ...stated(override.limits) };
      set = this.grant(effective, limits, override.rules ?? {});
      this.overridden.set(override, set);
    }
    return set;
  }

  /** `address` is given where the caller also draws on its address: an unconfigured bearer. */
  plan(caller: LimitSet, address: LimitSet | undefined, match: RuleMatch): LimitPlan {
    let byMatch = this.plans.get(caller);
    if (!byMatch) {
      byMatch = new Map();
      this.plans.set(caller, byMatch);
    }
    let byAddress = byMatch.get(match);
    if (!byAddress) {
      byAddress = new Map();
      byMatch.set(match, byAddress);
    }
    let plan = byAddress.get(address);
    if (!plan) {
      plan = this.makePlan(caller, address, match);
      byAddress.set(address, plan);
    }
    return plan;
  }

  private internMatch(identity: string, rules: { rule: CompiledRule; cost: number }[]): RuleMatch {
    let match = this.matches.get(identity);
    if (!match) {
      const costs = rules.filter(({ rule }) => !rule.limits).map(({ cost }) => cost);
      const named = rules.flatMap(({ rule }) => rule.outage ?? []);
      match = {
        rules,
        cost: costs.length > 0 ? Math.max(...costs) : 1,
        outage: named.sort((a, b) => STRICTNESS[b] - STRICTNESS[a])[0] ?? this.defaultOutage,
      };
      this.matches.set(identity, match);
    }
    return match;
  }

  private grant(
    tier: string,
    limits: WindowLimits,
    ruleLimits: Readonly<Record<string, WindowLimits>>,
  ): LimitSet {
    const policies = new Map([['', definePolicy('', limits)]]);
    for (const rule of this.rules) {
      if (!rule.limits) continue;
      const granted = rule.limits.get(tier) ?? rule.limits.get('default');
      const own = ruleLimits[rule.name];
      if (granted ?? own)
        policies.set(rule.name, definePolicy(rule.name, { ...granted, ...stated(own) }));
    }
    return { tier, policies };
  }

  private makePlan(caller: LimitSet, address: LimitSet | undefined, match: RuleMatch): LimitPlan {
    const enforced: PlannedDraw[] = [];
    const shadows: PlannedDraw[][] = [];
    const add = (rule: string, cost: number, shadow: boolean) => {
      const draws: PlannedDraw[] = [];
      const policy = caller.policies.get(rule);
      if (policy) draws.push({ from: 'caller', rule, policy, cost });
      const second = address?.policies.get(rule);
      if (second) draws.push({ from: 'address', rule, policy: ofAddress(second), cost });
      if (draws.length === 0) return;
      if (shadow) shadows.push(draws);
      else enforced.push(...draws);
    };
    const all = this.definition.shadow;
    add('', match.cost, all);
    for (const { rule, cost } of match.rules)
      if (rule.limits) add(rule.name, cost, all || rule.shadow);
    const reported = enforced.length > 0 ? enforced : (shadows[0] as PlannedDraw[]);
    return {
      enforced,
      shadows,
      outage: match.outage,
      shown: reported[0] as PlannedDraw,
      policyField: policyField(reported.map(({ policy }) => policy)),
    };
  }
}

/** Two buckets of one rule must not go by one name in the header fields. */
function ofAddress(policy: Policy): Policy {
  return { ...policy, name: policy.name === '' ? 'address' : `address-${policy.name}` };
}

/** An absent window must not blot out the one beneath it. */
function stated(limits: WindowLimits | undefined): WindowLimits {
  return Object.fromEntries(Object.entries(limits ?? {}).filter(([, limit]) => limit));
}
