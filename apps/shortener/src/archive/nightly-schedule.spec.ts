import { nextRunAt } from './nightly-schedule.ts';
import { readEveryHours } from './run-archive.ts';

describe('nextRunAt', () => {
  it.each([
    ['2026-11-20T01:00Z', '2026-11-20T03:00Z'],
    ['2026-11-20T03:00Z', '2026-11-21T03:00Z'],
    ['2026-11-20T23:59Z', '2026-11-21T03:00Z'],
  ])('at %s it is %s', (now, expected) => {
    expect(nextRunAt(Date.parse(now), 3)).toBe(Date.parse(expected));
  });
});

describe('readEveryHours', () => {
  it('is absent for a single run', () => {
    expect(readEveryHours(['node', 'main.js', 'archive'])).toBeUndefined();
  });

  it('reads the hours between two runs', () => {
    expect(readEveryHours(['node', 'main.js', 'archive', '--every-hours=24'])).toBe(24);
  });

  it.each(['0', '-1', '1000', 'daily', ''])('refuses %j', (hours) => {
    expect(() => readEveryHours([`--every-hours=${hours}`])).toThrow(/number of hours/);
  });
});
