export type { BucketStore, TakeRequest } from './bucket-store.ts';
export {
  type Allowed,
  type BucketDraw,
  type BucketReading,
  type Decision,
  fullAfterMs,
  nextTokenAfterMs,
  type Refused,
  toDecision,
  wholeTokens,
} from './decision.ts';
export { MemoryBucketStore, type MemoryBucketStoreOptions } from './memory-bucket-store.ts';
export {
  definePolicy,
  dividePolicy,
  type Policy,
  WINDOW_SECONDS,
  type Window,
  type WindowLimit,
  type WindowLimits,
  type WindowName,
} from './policy.ts';
export {
  type BucketState,
  draw,
  drawnFrom,
  fullAfterUs,
  hasTokens,
  refill,
  refillPerUs,
  TOKEN_EPSILON,
} from './token-bucket.ts';
