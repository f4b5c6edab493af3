/** Where a worker is in one partition of the topic. */
export interface Position {
  /** Next offset to count, as stored; undefined where nothing was ever counted. */
  readonly stored: bigint | undefined;
  /** Next offset to count: the stored one, or where the log begins if nothing was counted of it. */
  readonly next: bigint;
}

export interface FetchedBatch {
  /** The offset that was asked for. */
  readonly fetchedOffset: bigint;
  readonly firstOffset: bigint;
  readonly lastOffset: bigint;
  /** Offset after the last message of the log, as of the fetch. */
  readonly highWatermark: bigint;
}

export type Placement =
  /** Count the messages from this offset on; the earlier ones are counted already. */
  | { readonly kind: 'count'; readonly from: bigint }
  /** All of it is counted already: fetch what comes next. */
  | { readonly kind: 'skip' }
  /** Messages are missing before it: fetch them, if the broker still has them. */
  | { readonly kind: 'gap' }
  /** The log seems shorter than what was counted: ask the broker whether it is. */
  | { readonly kind: 'doubt' };

/**
 * What to do with a batch. Kafka redelivers after a rebalance or a crash, its own committed offset may be older or newer
 * than our counts, and a batch may have been fetched before a seek or before another worker counted: the stored position
 * alone decides.
 */
export function placeBatch({ stored, next }: Position, batch: FetchedBatch): Placement {
  // An old batch of a worker that lost the partition looks the same, hence the doubt.
  if (stored === next && batch.highWatermark < next) return { kind: 'doubt' };
  if (batch.lastOffset < next) return { kind: 'skip' };
  // Offsets may have holes, where a transaction ended for example: what follows the one asked for comes next.
  if (batch.firstOffset <= next || batch.fetchedOffset === next)
    return { kind: 'count', from: next };
  return { kind: 'gap' };
}

const HOUR_MS = 3_600_000;

/**
 * Where to begin in a log that is shorter than what was counted: with the messages that are younger than the last count,
 * or somewhat older, as long as the ids of what was counted then are still known.
 */
export function beginAnewAt(countedAt: number, now: number): number {
  return Math.min(countedAt, now - 0.9 * HOUR_MS);
}
