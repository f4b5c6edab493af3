/** A look at the store's clock: what it said, and between which moments of ours. All milliseconds. */
export interface ClockReading {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly storeMs: number;
}

/** Clocks drift apart, a little, while one looks. */
const DRIFT_MS = 2;

/**
 * The store's time in terms of ours, as two bounds: a moment of ours is surely not before `earliest` and not after
 * `latest` on the store's clock. Undefined when the readings contradict each other: the store's clock was set.
 */
export function storeTime(
  readings: readonly ClockReading[],
): { earliest(ourMs: number): number; latest(ourMs: number): number } | undefined {
  const least = Math.max(...readings.map(({ storeMs, receivedMs }) => storeMs - receivedMs));
  const most = Math.min(...readings.map(({ storeMs, sentMs }) => storeMs - sentMs));
  if (readings.length === 0 || least > most + DRIFT_MS) return undefined;
  return {
    earliest: (ourMs) => ourMs + Math.min(least, most),
    latest: (ourMs) => ourMs + Math.max(least, most),
  };
}
