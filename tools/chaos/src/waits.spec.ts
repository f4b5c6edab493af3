import { excessWaits, quantile } from './waits.ts';

const wait = (startMs: number, tookMs: number) => ({ startMs, tookMs });

describe('what a request waited for', () => {
  it('is what it took beyond the control group at that moment', () => {
    const control = [wait(0, 3), wait(20, 12), wait(500, 2)];
    expect(excessWaits([wait(10, 30), wait(510, 30)], control)).toEqual([18, 28]);
  });

  it('is nothing when the machine was as slow, and unknown without a control', () => {
    expect(excessWaits([wait(0, 50), wait(900, 50)], [wait(10, 60)])).toEqual([0]);
  });

  it('is told by quantiles', () => {
    const values = Array.from({ length: 100 }, (_, index) => index);
    expect([quantile(values, 0.5), quantile(values, 0.99), quantile([], 0.5)]).toEqual([50, 99, 0]);
  });
});
