/** A token bucket as it was promised. */
export interface Bucket {
  readonly capacity: number;
  readonly perSecond: number;
}

/** A request that was let through: the store decided it somewhere between the two, milliseconds of the store's clock. */
export interface Admission {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Where the most was admitted in relation to what may be. */
export interface Tightest {
  readonly admitted: number;
  readonly allowed: number;
  readonly seconds: number;
}

/**
 * The interval of all in which the bucket was overdrawn most, or came closest to it. Only requests count that surely
 * were decided within the interval: begun and answered in it.
 */
export function tightestInterval(
  admissions: readonly Admission[],
  { capacity, perSecond }: Bucket,
): Tightest | undefined {
  const byEnd = [...admissions].sort((a, b) => a.untilMs - b.untilMs);
  let tightest: Tightest | undefined;
  for (const { fromMs } of admissions) {
    let admitted = 0;
    for (const admission of byEnd) {
      if (admission.fromMs < fromMs) continue;
      admitted++;
      const seconds = (admission.untilMs - fromMs) / 1_000;
      const allowed = capacity + perSecond * seconds;
      if (tightest === undefined || admitted - allowed > tightest.admitted - tightest.allowed)
        tightest = { admitted, allowed, seconds };
    }
  }
  return tightest;
}

/** Rounding of doubles, in tokens. */
const TOLERANCE = 1e-3;

/** In no interval more than capacity + rate × time, and `allowance` besides: what a failover may lose. */
export function checkLimiterBound(
  admissions: readonly Admission[],
  bucket: Bucket,
  allowance = 0,
): string[] {
  const tightest = tightestInterval(admissions, bucket);
  if (tightest === undefined) return ['nothing was admitted'];
  const { admitted, allowed, seconds } = tightest;
  if (admitted <= allowed + allowance + TOLERANCE) return [];
  return [
    `${admitted} were admitted within ${seconds.toFixed(3)} s, ${(allowed + allowance).toFixed(1)} are allowed`,
  ];
}

/** A limiter that refuses everybody stays within every bound: under full load at least this share must be granted. */
export function checkLimiterGrants(
  admitted: number,
  { capacity, perSecond }: Bucket,
  { seconds, share }: { readonly seconds: number; readonly share: number },
): string[] {
  const due = (capacity + perSecond * seconds) * share;
  if (admitted >= due) return [];
  return [
    `only ${admitted} were admitted in ${seconds.toFixed(1)} s, at least ${Math.ceil(due)} are due`,
  ];
}
