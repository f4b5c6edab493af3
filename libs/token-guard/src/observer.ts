import type { TokenDoubt, TokenRefusal } from './access-token.ts';

/** What a service may want to count. Labels are bounded: nothing here comes from a token. */
export type TokenGuardEvent =
  | { readonly kind: 'token-accepted'; readonly cached: boolean }
  | { readonly kind: 'token-refused'; readonly reason: TokenRefusal }
  | { readonly kind: 'token-undecided'; readonly lacking: TokenDoubt }
  | { readonly kind: 'keys-fetched'; readonly cause: KeyFetchCause; readonly succeeded: boolean }
  | { readonly kind: 'status-fetched'; readonly outcome: 'changed' | 'unchanged' | 'failed' }
  /** Who answered when the list in memory could not. */
  | { readonly kind: 'status-introspected'; readonly outcome: 'active' | 'inactive' | 'failed' }
  /** A proof was accepted although the other processes could not be asked for it. */
  | { readonly kind: 'proof-memory-failed' };

export type KeyFetchCause = 'first' | 'stale' | 'unknown-key';

/** Called on the request's path: must be quick and must not throw. */
export type TokenGuardObserver = (event: TokenGuardEvent) => void;

/** For gauges, read when metrics are scraped. */
export interface TokenGuardState {
  readonly cachedTokens: number;
  readonly signingKeys: number;
  /** Seconds since the keys were last fetched; undefined before the first time. */
  readonly keysAgeSeconds: number | undefined;
  readonly statusLists: number;
  /** Of the list that was confirmed longest ago: how late a revocation may be noticed right now. */
  readonly statusAgeSeconds: number;
}
