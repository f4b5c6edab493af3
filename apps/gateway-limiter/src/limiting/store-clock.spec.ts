import { StoreClock } from './store-clock.ts';

describe('StoreClock', () => {
  it('knows no deadline before the first answer', () => {
    expect(new StoreClock().at(1)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('takes the quickest answer seen for the difference between the clocks', () => {
    const clock = new StoreClock();
    clock.learn(1_000_900, 0);
    clock.learn(1_000_100, 0);
    clock.learn(1_000_500, 0);
    expect(clock.at(0)).toBeCloseTo(1_000_108, 0);
  });

  it('follows a clock that drifts away', () => {
    const clock = new StoreClock();
    for (let second = 0; second < 1_000; second++)
      clock.learn(second * 1_000_100, second * 1_000_000);
    expect(clock.at(1_000_000_000)).toBeGreaterThan(1_000_090_000);
  });

  it('forgets the old clock when another server took over', () => {
    const clock = new StoreClock();
    clock.learn(1_000, 0);
    clock.relearn(5_000_000, 0);
    expect(clock.at(10)).toBe(5_000_010);
  });
});
