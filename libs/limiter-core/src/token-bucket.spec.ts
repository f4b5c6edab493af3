import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { MemoryBucketStore } from './memory-bucket-store.ts';
import { definePolicy } from './policy.ts';
import { draw, fullAfterUs, hasTokens, refill } from './token-bucket.ts';

const limits = fc.record(
  {
    second: fc.record({
      limit: fc.integer({ min: 1, max: 20 }),
      burst: fc.integer({ min: 1, max: 40 }),
    }),
    minute: fc.record({ limit: fc.integer({ min: 1, max: 100 }) }),
    day: fc.record({ limit: fc.integer({ min: 1, max: 1_000 }) }),
  },
  { requiredKeys: ['minute'] },
);
const steps = fc.array(
  fc.record({
    waitUs: fc.integer({ min: 0, max: 20_000_000 }),
    cost: fc.integer({ min: 0, max: 5 }),
  }),
  { maxLength: 60 },
);

describe('token bucket', () => {
  it('admits in any interval no more than capacity + rate × time, in every window', () => {
    fc.assert(
      fc.property(limits, steps, (given, sequence) => {
        const policy = definePolicy('', given);
        let nowUs = 1_800_000_000_000_000;
        const store = new MemoryBucketStore({ nowUs: () => nowUs, capacity: 10 });
        const admissions: { atUs: number; cost: number }[] = [];
        for (const { waitUs, cost } of sequence) {
          nowUs += waitUs;
          if (store.decide([{ key: 'k', policy, cost }]).kind === 'allowed')
            admissions.push({ atUs: nowUs, cost });
        }
        for (const window of policy.windows) {
          for (let from = 0; from < admissions.length; from++) {
            let sum = 0;
            for (let to = from; to < admissions.length; to++) {
              const { atUs, cost } = admissions[to] as { atUs: number; cost: number };
              sum += Math.min(cost, window.capacity);
              const seconds = (atUs - (admissions[from] as { atUs: number }).atUs) / 1e6;
              expect(sum).toBeLessThanOrEqual(
                window.capacity + window.refillPerSecond * seconds + 1e-3,
              );
            }
          }
        }
      }),
      runs(),
    );
  });

  it('is never refused after the wait it was told', () => {
    fc.assert(
      fc.property(limits, steps, (given, sequence) => {
        const policy = definePolicy('', given);
        let nowUs = 1_800_000_000_000_000;
        const store = new MemoryBucketStore({ nowUs: () => nowUs, capacity: 10 });
        for (const { cost } of sequence) {
          const decision = store.decide([{ key: 'k', policy, cost }]);
          if (decision.kind === 'allowed') continue;
          nowUs += Math.ceil(decision.waitMs * 1_000);
          expect(store.decide([{ key: 'k', policy, cost }]).kind).toBe('allowed');
        }
      }),
      runs(),
    );
  });

  it('is full in every window once the time to full has passed, and in one of them not before', () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 1_000 }), (given, cost) => {
        const policy = definePolicy('', given);
        const used = draw(refill(undefined, policy, 0), policy, cost);
        const state = { lastUs: 0, layout: policy.layout, used };
        const fullUs = fullAfterUs(used, policy);
        expect(Math.max(...refill(state, policy, Math.ceil(fullUs)))).toBeLessThan(1e-6);
        expect(Math.max(...refill(state, policy, fullUs * 0.999))).toBeGreaterThan(0);
      }),
      runs(),
    );
  });

  it('gives the last token of a large bucket despite the rounding of doubles', () => {
    const policy = definePolicy('', { day: { limit: 10_000_000 } });
    let state = { lastUs: 0, layout: 'd', used: [0] as number[] };
    for (let step = 1; step <= 1_000; step++) {
      const nowUs = step * 8_640;
      state = { lastUs: nowUs, layout: 'd', used: draw(refill(state, policy, nowUs), policy, 1) };
    }
    expect(state.used[0]).toBeCloseTo(1, 6);
    expect(hasTokens([9_999_999], policy, 1)).toBe(true);
    expect(hasTokens([9_999_999.01], policy, 1)).toBe(false);
  });
});
