import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { checkLimiterBound, checkLimiterGrants } from './limiter-bound.ts';

const BUCKET = { capacity: 10, perSecond: 5 };
/** Decided at these milliseconds, known to a few milliseconds. */
const at = (...times: number[]) => times.map((ms) => ({ fromMs: ms - 2, untilMs: ms + 2 }));
const burst = (ms: number, count: number) => at(...Array.from({ length: count }, () => ms));

describe('the limiter bound checker', () => {
  it('is content with a full burst and what comes back', () => {
    expect(checkLimiterBound([...burst(1_000, 10), ...at(1_200, 1_400, 1_600)], BUCKET)).toEqual(
      [],
    );
  });

  it('sees one too many at once', () => {
    expect(checkLimiterBound(burst(1_000, 11), BUCKET)).toEqual([
      '11 were admitted within 0.004 s, 10.0 are allowed',
    ]);
  });

  it('sees a second burst before the bucket is full, though the whole time looks harmless', () => {
    const history = [...at(0), ...burst(60_000, 10), ...burst(61_000, 8)];
    expect(checkLimiterBound(history, BUCKET)).toEqual([
      '18 were admitted within 1.004 s, 15.0 are allowed',
    ]);
  });

  it('does not count what may lie outside of the interval', () => {
    const slow = Array.from({ length: 11 }, () => ({ fromMs: 0, untilMs: 200 }));
    expect(checkLimiterBound(slow, BUCKET)).toEqual([]);
  });

  it('grants an allowance, and no more', () => {
    expect(checkLimiterBound(burst(0, 12), BUCKET, 2)).toEqual([]);
    expect(checkLimiterBound(burst(0, 13), BUCKET, 2)).toHaveLength(1);
  });

  it('does not take silence for obedience', () => {
    expect(checkLimiterBound([], BUCKET)).toEqual(['nothing was admitted']);
    expect(checkLimiterGrants(3, BUCKET, { seconds: 10, share: 0.9 })).toEqual([
      'only 3 were admitted in 10.0 s, at least 54 are due',
    ]);
    expect(checkLimiterGrants(55, BUCKET, { seconds: 10, share: 0.9 })).toEqual([]);
  });

  it('never accuses a real bucket, and always one that gives a token too much', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 30, maxLength: 120 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 50 }), (waits, blurMs) => {
        let [now, tokens] = [0, BUCKET.capacity];
        const admitted: number[] = [];
        for (const wait of waits) {
          now += wait;
          tokens = Math.min(BUCKET.capacity, tokens + (wait * BUCKET.perSecond) / 1_000);
          if (tokens < 1) continue;
          tokens--;
          admitted.push(now);
        }
        const blurred = admitted.map((ms) => ({ fromMs: ms - blurMs, untilMs: ms + blurMs }));
        expect(checkLimiterBound(blurred, BUCKET)).toEqual([]);
        const overdrawn = [...at(now), ...burst(now + 10, BUCKET.capacity)];
        expect(checkLimiterBound(overdrawn, BUCKET)).toHaveLength(1);
      }),
      runs(),
    );
  });
});
