import { LogSampler } from './log-sampler.ts';

describe('LogSampler', () => {
  it('logs every line up to the rate, then one in so many, and loses no line from the sum', () => {
    const sampler = new LogSampler(5, 10);
    let logged = 0;
    let leftOut = 0;
    for (let index = 0; index < 105; index++) {
      const before = sampler.admit(1_000_500);
      if (before === undefined) continue;
      logged++;
      leftOut += before;
    }
    expect(logged).toBe(15);
    expect(leftOut + logged).toBe(105);
  });

  it('logs every line again in the next second', () => {
    const sampler = new LogSampler(1, 10);
    expect(sampler.admit(1_000)).toBe(0);
    expect(sampler.admit(1_999)).toBeUndefined();
    expect(sampler.admit(2_000)).toBe(1);
  });
});
