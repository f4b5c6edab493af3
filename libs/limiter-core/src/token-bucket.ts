import type { Policy, Window } from './policy.ts';

/**
 * What is remembered of a caller under one policy. Used tokens, not remaining ones and not an arrival time: a raised
 * or lowered limit then counts at once, and what was drawn before stays drawn.
 */
export interface BucketState {
  /** When `used` was true, µs of the store's clock. */
  readonly lastUs: number;
  /** Whose entry each of `used` is: window letters as in `Policy.layout`. */
  readonly layout: string;
  readonly used: readonly number[];
}

/** Rounding of doubles must not refuse the last token of a bucket. Never adds up: what is drawn is stored in full. */
export const TOKEN_EPSILON = 1e-6;

/**
 * Tokens in use at `nowUs`, one entry a window of the policy. Windows the state does not know start full; windows the
 * policy no longer has are forgotten.
 */
export function refill(state: BucketState | undefined, policy: Policy, nowUs: number): number[] {
  if (!state) return policy.windows.map(() => 0);
  const elapsedUs = nowUs > state.lastUs ? nowUs - state.lastUs : 0;
  return policy.windows.map((window, index) => {
    const stored =
      state.layout === policy.layout ? index : state.layout.indexOf(policy.layout.charAt(index));
    const used = (state.used[stored] ?? 0) - elapsedUs * refillPerUs(window);
    return used > 0 ? used : 0;
  });
}

/**
 * Does every window have `cost` tokens? `used` comes from `refill`. Cost 0 is always there, even where a lowered limit
 * left more in use than the bucket now holds.
 */
export function hasTokens(used: readonly number[], policy: Policy, cost: number): boolean {
  return policy.windows.every(
    (window, index) => excessOf(used[index] as number, window, cost) <= TOKEN_EPSILON,
  );
}

/** Tokens that are missing for a draw of `cost`; nothing is missing when it is not above TOKEN_EPSILON. */
export function excessOf(used: number, window: Window, cost: number): number {
  return cost === 0 ? 0 : used + drawnFrom(window, cost) - window.capacity;
}

/** Used tokens after `cost` was drawn. */
export function draw(used: readonly number[], policy: Policy, cost: number): number[] {
  return policy.windows.map((window, index) => (used[index] as number) + drawnFrom(window, cost));
}

/** µs until the last of the windows is full again. From then on no state means the same as this state. */
export function fullAfterUs(used: readonly number[], policy: Policy): number {
  let longest = 0;
  policy.windows.forEach((window, index) => {
    longest = Math.max(longest, (used[index] as number) / refillPerUs(window));
  });
  return longest;
}

/** A cost above a window's capacity draws all of it: whatever is asked for can be had once the bucket is full. */
export function drawnFrom(window: Window, cost: number): number {
  return cost < window.capacity ? cost : window.capacity;
}

export function refillPerUs(window: Window): number {
  return window.refillPerSecond / 1e6;
}
