import {
  type AttemptCount,
  type AttemptRule,
  accountRule,
  addressRule,
  describeWait,
  takeAttempt,
  toRetryAfterSeconds,
} from './attempts.ts';

const START = new Date('2026-11-20T12:00:00Z');
const later = (ms: number, from = START) => new Date(from.getTime() + ms);

/** Fails as often as asked, each time as soon as it is allowed; returns the waits after each failure. */
function failAsSoonAsAllowed(rule: AttemptRule, times: number): number[] {
  const waits: number[] = [];
  let count: AttemptCount | undefined;
  let now = START;
  for (let failure = 0; failure < times; failure++) {
    const decision = takeAttempt(rule, count, now);
    if (!decision.allowed) throw new Error('refused although the wait was over');
    count = decision.count;
    const waitMs = Math.max(0, (count.blockedUntil?.getTime() ?? 0) - now.getTime());
    waits.push(waitMs);
    now = later(waitMs, now);
  }
  return waits;
}

describe('wrong passwords of one account', () => {
  it('are free five times, then wait 5 s, doubling to 60 s', () => {
    expect(failAsSoonAsAllowed(accountRule, 10)).toEqual([
      0, 0, 0, 0, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000,
    ]);
  });

  it('are refused while the wait lasts, and a refused attempt changes nothing', () => {
    const blocked: AttemptCount = {
      failures: 5,
      windowStart: START,
      blockedUntil: later(5_000),
      updatedAt: START,
    };
    expect(takeAttempt(accountRule, blocked, later(1))).toEqual({ allowed: false, waitMs: 4_999 });
    expect(takeAttempt(accountRule, blocked, later(5_000))).toMatchObject({ allowed: true });
  });

  it('are forgotten after a quiet quarter of an hour', () => {
    const old = { failures: 30, windowStart: START, blockedUntil: later(60_000), updatedAt: START };
    expect(takeAttempt(accountRule, old, later(15 * 60_000 - 1))).toMatchObject({
      count: { failures: 31 },
    });
    expect(takeAttempt(accountRule, old, later(15 * 60_000))).toMatchObject({
      count: { failures: 1, blockedUntil: undefined },
    });
  });
});

describe('wrong passwords from one address', () => {
  it('are refused after a hundred, until the quarter of an hour that began with the first is over', () => {
    let count: AttemptCount | undefined;
    for (let failure = 0; failure < 100; failure++) {
      const decision = takeAttempt(addressRule, count, later(failure * 1000));
      if (!decision.allowed) throw new Error(`refused at ${failure}`);
      count = decision.count;
    }
    expect(takeAttempt(addressRule, count, later(100_000))).toEqual({
      allowed: false,
      waitMs: 800_000,
    });
    expect(takeAttempt(addressRule, count, later(15 * 60_000))).toMatchObject({
      allowed: true,
      count: { failures: 1 },
    });
  });
});

describe('what a person is told', () => {
  it('is whole seconds, never none', () => {
    expect([1, 999, 1000, 1001].map(toRetryAfterSeconds)).toEqual([1, 1, 1, 2]);
  });

  it('is one sentence', () => {
    expect(describeWait(20)).toBe('Too many attempts, try again in 20 s');
  });
});
