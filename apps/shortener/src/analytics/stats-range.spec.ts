import type { StatsQuery } from '@gatepost/contracts';
import { fillSeries, resolveRange, type StatsRange, touchedDays } from './stats-range.ts';

const NOW = Date.parse('2026-11-20T13:14:15Z');
const context = { now: NOW, minuteRetentionDays: 7 };
const at = (text: string) => Date.parse(text);

describe('resolveRange', () => {
  it.each<[StatsQuery, string, string]>([
    [{ interval: 'minute' }, '2026-11-20T12:15Z', '2026-11-20T13:15Z'],
    [{ interval: 'hour' }, '2026-11-19T14:00Z', '2026-11-20T14:00Z'],
    [{ interval: 'day' }, '2026-10-22', '2026-11-21'],
    [{ interval: 'day', to: '2026-11-20T00:00:00Z' }, '2026-10-21', '2026-11-20'],
    [
      { interval: 'hour', from: '2026-11-20T01:30:00Z', to: '2026-11-20T02:30:00Z' },
      '2026-11-20T01:00Z',
      '2026-11-20T03:00Z',
    ],
    [
      { interval: 'day', from: '2026-11-20T01:30:00+05:00', to: '2026-11-20T02:30:00+05:00' },
      '2026-11-19',
      '2026-11-20',
    ],
  ])('%j is from %s to %s', (query, from, to) => {
    expect(resolveRange(query, context)).toEqual({
      interval: query.interval,
      from: at(from),
      to: at(to),
    });
  });

  it.each<[string, StatsQuery, string]>([
    [
      'ends before it begins',
      { interval: 'day', from: '2026-11-20T00:00:00Z', to: '2026-11-01T00:00:00Z' },
      'must be before `to`',
    ],
    [
      'is empty',
      { interval: 'hour', from: '2026-11-20T10:00:00Z', to: '2026-11-20T10:00:00Z' },
      'must be before `to`',
    ],
    [
      'has too many points',
      { interval: 'hour', from: '2025-11-20T10:00:00Z' },
      'makes more than 4000 points: choose a wider interval',
    ],
    [
      'asks for minutes that are gone',
      { interval: 'minute', from: '2026-11-12T10:00:00Z', to: '2026-11-12T11:00:00Z' },
      'is too long ago: minutes are kept for 7 days',
    ],
  ])('refuses a range that %s', (_what, query, fault) => {
    expect(resolveRange(query, context)).toEqual({ member: 'from', fault });
  });
});

describe('touchedDays', () => {
  const days = (from: string, to: string) => {
    const touched = touchedDays({ from: at(from), to: at(to) });
    const day = (count: number) => new Date(count * 86_400_000).toISOString().slice(0, 10);
    return [day(touched.from), day(touched.to), day(touched.monthsFrom), day(touched.monthsTo)];
  };

  it.each([
    [
      '2026-11-20T10:00Z',
      '2026-11-20T11:00Z',
      ['2026-11-20', '2026-11-21', '2026-11-20', '2026-11-20'],
    ],
    [
      '2026-11-19T23:00Z',
      '2026-11-20T00:00Z',
      ['2026-11-19', '2026-11-20', '2026-11-19', '2026-11-19'],
    ],
    ['2026-09-15', '2026-11-20', ['2026-09-15', '2026-11-20', '2026-10-01', '2026-11-01']],
    ['2026-10-01', '2026-11-01', ['2026-10-01', '2026-11-01', '2026-10-01', '2026-11-01']],
    ['2026-10-02', '2026-11-30', ['2026-10-02', '2026-11-30', '2026-10-02', '2026-10-02']],
    ['2025-11-21', '2026-11-21', ['2025-11-21', '2026-11-21', '2025-12-01', '2026-11-01']],
  ])('from %s to %s', (from, to, expected) => {
    expect(days(from, to)).toEqual(expected);
  });
});

describe('fillSeries', () => {
  it('has a point for every interval, in order', () => {
    const range: StatsRange = {
      interval: 'hour',
      from: at('2026-11-20T00:00Z'),
      to: at('2026-11-20T03:00Z'),
    };
    const point = { time: at('2026-11-20T01:00Z'), humans: 3, bots: 1 };
    expect(fillSeries(range, [point])).toEqual([
      { time: at('2026-11-20T00:00Z'), humans: 0, bots: 0 },
      point,
      { time: at('2026-11-20T02:00Z'), humans: 0, bots: 0 },
    ]);
  });
});
