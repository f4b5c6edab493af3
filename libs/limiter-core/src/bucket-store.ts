import type { BucketDraw, Decision } from './decision.ts';

/** The draws of one request: all of them are made, or none. Never empty, no key twice. */
export type TakeRequest = readonly BucketDraw[];

/**
 * Where buckets live. One implementation holds them in process, one on Redis; `bucketStoreContract` says what both
 * must do.
 */
export interface BucketStore {
  /**
   * Decides the requests in order and on the store's own clock; each atomically, against every other caller of the
   * store. Gives one decision a request, in the same order. Rejects when the store cannot decide: then nothing may be
   * assumed about what was drawn.
   */
  take(requests: readonly TakeRequest[]): Promise<readonly Decision[]>;

  /** Fills the buckets up again. */
  reset(keys: readonly string[]): Promise<void>;
}
