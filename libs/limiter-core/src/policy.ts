/** The windows a limit may be given for, shortest first. The first letter identifies a window in stored state. */
export const WINDOW_SECONDS = { second: 1, minute: 60, hour: 3_600, day: 86_400 } as const;

export type WindowName = keyof typeof WINDOW_SECONDS;

/** One token bucket: holds `capacity` tokens at most (the burst) and refills without steps. */
export interface Window {
  readonly name: WindowName;
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/** The buckets one caller has under one rule. All of them must have the tokens, or none gives any. */
export interface Policy {
  /** Names the buckets in header fields and in `violated-policies`: `''` for a tier's own, else the rule. */
  readonly name: string;
  /** Shortest first, each name at most once. */
  readonly windows: readonly Window[];
  /** First letters of the windows in order, e.g. `smd`. Stored with the state: it says whose tokens are whose. */
  readonly layout: string;
}

/** What an operator writes down: `limit` tokens a window, of which `burst` may be drawn at once. */
export interface WindowLimit {
  readonly limit: number;
  /** Capacity of the bucket; the limit itself when absent. */
  readonly burst?: number | undefined;
}

export type WindowLimits = { readonly [Name in WindowName]?: WindowLimit | undefined };

/** Throws RangeError on limits no bucket can keep. Input of operators is validated with better messages before. */
export function definePolicy(name: string, limits: WindowLimits): Policy {
  const windows: Window[] = [];
  for (const window of Object.keys(WINDOW_SECONDS) as WindowName[]) {
    const given = limits[window];
    if (!given) continue;
    const capacity = given.burst ?? given.limit;
    if (!(given.limit > 0 && capacity >= 1 && Number.isFinite(given.limit + capacity)))
      throw new RangeError(`${name} ${window}: needs a limit above 0 and room for one token`);
    windows.push({
      name: window,
      capacity,
      refillPerSecond: given.limit / WINDOW_SECONDS[window],
    });
  }
  if (windows.length === 0) throw new RangeError(`${name}: needs at least one window`);
  return { name, windows, layout: windows.map((window) => window.name.charAt(0)).join('') };
}

/**
 * The same policy for one of `shares` processes that cannot see each other. Every share holds at least one token, or
 * callers with small limits could never be served.
 */
export function dividePolicy(policy: Policy, shares: number): Policy {
  if (shares <= 1) return policy;
  return {
    ...policy,
    windows: policy.windows.map((window) => ({
      ...window,
      capacity: Math.max(1, window.capacity / shares),
      refillPerSecond: window.refillPerSecond / shares,
    })),
  };
}
