/** What to do with a request that the store cannot decide. */
export type OutagePolicy = 'open' | 'closed' | 'local';

/** Whether the store is asked at all. Open: it failed too often, and only probes reach it. */
export interface Breaker {
  readonly phase: 'closed' | 'open';
  readonly failuresInRow: number;
  readonly successesInRow: number;
  /** The last outcomes, the youngest in the lowest bit; a set bit is a failure. */
  readonly recent: number;
  readonly seen: number;
}

export const CLOSED_BREAKER: Breaker = {
  phase: 'closed',
  failuresInRow: 0,
  successesInRow: 0,
  recent: 0,
  seen: 0,
};

const OPENS_AFTER_IN_ROW = 5;
const WINDOW = 20;
const CLOSES_AFTER = 2;

/** A store that fails every other call is as useless as one that fails all: more than half of the last 20 opens too. */
export function afterFailure(breaker: Breaker): Breaker {
  const counted = count(breaker, 1);
  const failuresInRow = breaker.failuresInRow + 1;
  const tooMany = counted.seen >= WINDOW && bitsOf(counted.recent) > WINDOW / 2;
  const opens = breaker.phase === 'open' || failuresInRow >= OPENS_AFTER_IN_ROW || tooMany;
  return { ...counted, phase: opens ? 'open' : 'closed', failuresInRow, successesInRow: 0 };
}

export function afterSuccess(breaker: Breaker): Breaker {
  if (breaker.phase === 'closed') {
    // Nothing to forget, nothing to count: the common case allocates nothing.
    if (breaker.recent === 0 && breaker.seen >= WINDOW) return breaker;
    return { ...count(breaker, 0), failuresInRow: 0 };
  }
  const successesInRow = breaker.successesInRow + 1;
  if (successesInRow >= CLOSES_AFTER) return CLOSED_BREAKER;
  return { ...breaker, failuresInRow: 0, successesInRow };
}

function count(breaker: Breaker, failure: 0 | 1): Breaker {
  const recent = ((breaker.recent << 1) | failure) & ((1 << WINDOW) - 1);
  return { ...breaker, recent, seen: Math.min(WINDOW, breaker.seen + 1) };
}

function bitsOf(mask: number): number {
  let bits = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}
