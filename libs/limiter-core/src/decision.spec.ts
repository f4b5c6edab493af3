import { type BucketReading, fullAfterMs, nextTokenAfterMs, wholeTokens } from './decision.ts';
import { definePolicy, type Window } from './policy.ts';

const policy = definePolicy('', { minute: { limit: 60, burst: 10 } });
const reading = (tokens: number): BucketReading => ({
  policy,
  window: policy.windows[0] as Window,
  tokens,
});

describe('bucket reading', () => {
  it.each([
    [10, 10, 0, undefined],
    [9.25, 9, 750, 750],
    [9, 9, 1_000, 1_000],
    [0.4, 0, 9_600, 600],
    [0, 0, 10_000, 1_000],
    [2.9999999999, 3, 7_000, 1_000],
  ])(
    '%d tokens: %d whole ones, full after %d ms, the next one after %s ms',
    (tokens, whole, full, next) => {
      expect(wholeTokens(reading(tokens))).toBe(whole);
      expect(fullAfterMs(reading(tokens))).toBeCloseTo(full, 3);
      const after = nextTokenAfterMs(reading(tokens));
      if (next === undefined) expect(after).toBeUndefined();
      else expect(after).toBeCloseTo(next, 3);
    },
  );
});
