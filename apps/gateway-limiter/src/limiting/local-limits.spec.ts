import { definePolicy } from '@gatepost/limiter-core';
import { LocalLimits } from './local-limits.ts';

describe('LocalLimits', () => {
  const policy = definePolicy('', { minute: { limit: 12 } });
  const admittedOf = (local: LocalLimits, key: string) =>
    Array.from({ length: 20 }, () => local.decide([{ key, policy, cost: 1 }])).filter(
      ({ kind }) => kind === 'allowed',
    ).length;

  it('grants each worker its share', () => {
    let workers = 3;
    const local = new LocalLimits({ nowUs: () => 1, capacity: 10, liveWorkers: () => workers });
    expect(admittedOf(local, 'a')).toBe(4);
    workers = 1;
    expect(admittedOf(local, 'b')).toBe(12);
    expect(admittedOf(local, 'a')).toBe(8);
  });

  it('grants all when nobody was heard of', () => {
    const local = new LocalLimits({ nowUs: () => 1, capacity: 10, liveWorkers: () => 0 });
    expect(admittedOf(local, 'a')).toBe(12);
  });
});
