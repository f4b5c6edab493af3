/** A request that may have been held up, or one of the control group that cannot have been. Milliseconds. */
export interface Wait {
  readonly startMs: number;
  readonly tookMs: number;
}

/** Requests of the control group that were begun this close tell how fast the machine was at that moment. */
const MOMENT_MS = 40;

/**
 * How much longer each request took than the slowest of the control group at the same moment: what is left is not the
 * machine's doing. Requests of moments without a control are left out.
 */
export function excessWaits(requests: readonly Wait[], control: readonly Wait[]): number[] {
  return requests.flatMap(({ startMs, tookMs }) => {
    const beside = control.filter((other) => Math.abs(other.startMs - startMs) <= MOMENT_MS);
    if (beside.length === 0) return [];
    return [Math.max(0, tookMs - Math.max(...beside.map((other) => other.tookMs)))];
  });
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
