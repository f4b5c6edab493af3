import { cpuTimeUs, residentBytes } from './cpu-time.ts';
import { median, percentile } from './statistics.ts';

describe('median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[7], 7],
  ])('of %j is %d', (values, middle) => expect(median(values)).toBe(middle));
});

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  it.each([
    [0.5, 50],
    [0.99, 99],
    [0.999, 100],
    [0, 1],
  ])('%d of 1…100 is %d', (share, value) => expect(percentile(hundred, share)).toBe(value));
});

describe('what the operating system charges', () => {
  it('grows with work, about as much as the process itself says', () => {
    const before = [cpuTimeUs([process.pid]), process.cpuUsage()] as const;
    const until = performance.now() + 300;
    let sum = 0;
    while (performance.now() < until) sum += Math.sqrt(sum + 1);
    const charged = cpuTimeUs([process.pid]) - before[0];
    const own = process.cpuUsage(before[1]);
    expect(Math.abs(charged - own.user - own.system)).toBeLessThan(60_000);
    expect(sum).toBeGreaterThan(0);
  });

  it('knows the resident memory', () => {
    expect(residentBytes(process.pid)).toBeGreaterThan(20_000_000);
  });
});
