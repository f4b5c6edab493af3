import type { BucketView, CallerView } from '@gatepost/contracts';
import {
  type BucketStore,
  fullAfterMs,
  type Policy,
  WINDOW_SECONDS,
  wholeTokens,
} from '@gatepost/limiter-core';
import type { AddressCaller, CallerIdentifier } from '../identity/caller-identifier.ts';
import { bucketKey, type Caller } from '../identity/client-key.ts';
import type { LimitsInForce } from '../limiting/limits-in-force.ts';
import type { LimitSet } from '../limiting/policies.ts';

export interface CallerParts {
  readonly identifier: CallerIdentifier;
  readonly limits: LimitsInForce;
  readonly store: BucketStore;
  /** Tier of a configured key, by its name. */
  readonly tierOfKey: (name: string) => string | undefined;
}

/** Everything that counts for one caller right now. Looks at the buckets without drawing. */
export async function viewCaller(parts: CallerParts, name: string): Promise<CallerView> {
  const caller = callerNamed(parts, name);
  const set = parts.limits.limitsOf(caller);
  const listed = parts.limits.listed(caller, caller);
  const override = parts.limits.overrideOf(caller);
  const buckets = await readBuckets(parts.store, caller, set).catch(() => undefined);
  return {
    caller: caller.name ?? name,
    hash: caller.hash,
    tier: set.tier,
    ...(listed ? { listed } : {}),
    ...(override ? { override } : {}),
    ...(buckets ? { buckets } : {}),
  };
}

/** Fills all buckets of a caller. */
export async function resetCaller(parts: CallerParts, name: string): Promise<void> {
  const caller = callerNamed(parts, name);
  const set = parts.limits.limitsOf(caller);
  await parts.store.reset([...set.policies.keys()].map((rule) => bucketKey(caller.stem, rule)));
}

function callerNamed({ identifier, tierOfKey }: CallerParts, name: string): AddressCaller {
  return identifier.callerNamed(
    name,
    name.startsWith('key:') ? tierOfKey(name.slice(4)) : undefined,
  );
}

async function readBuckets(
  store: BucketStore,
  caller: Caller,
  set: LimitSet,
): Promise<BucketView[]> {
  const asked = [...set.policies].flatMap(([rule, policy]) =>
    policy.windows.map((window) => ({ rule, window, alone: onlyWindow(policy, window.name) })),
  );
  const decisions = await store.take(
    asked.map(({ rule, alone }) => [{ key: bucketKey(caller.stem, rule), policy: alone, cost: 0 }]),
  );
  return asked.map(({ rule, window }, index) => {
    const decision = decisions[index] as (typeof decisions)[number];
    return {
      rule,
      window: window.name,
      limit: Math.round(window.refillPerSecond * WINDOW_SECONDS[window.name] * 1e6) / 1e6,
      capacity: window.capacity,
      remaining: wholeTokens(decision.reported),
      fullAt: Math.ceil((decision.decidedAtMs + fullAfterMs(decision.reported)) / 1_000),
    };
  });
}

/** A decision reports one bucket; asking for each window alone reports all of them. */
function onlyWindow(policy: Policy, name: Policy['windows'][number]['name']): Policy {
  const windows = policy.windows.filter((window) => window.name === name);
  return { ...policy, windows, layout: name.charAt(0) };
}
