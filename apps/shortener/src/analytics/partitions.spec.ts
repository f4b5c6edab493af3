import { isExpired, keptFrom, parsePartition, partitionAt, partitionsAhead } from './partitions.ts';

const at = (text: string) => Date.parse(text);
const NOW = at('2026-11-20T13:14:15Z');
const RETENTION = { rawDays: 90, minuteDays: 7 };

describe('partitionAt', () => {
  it.each([
    ['clicks', '2026-11-20T23:59:59.999Z', 'clicks_20261120'],
    ['click_minutes', '2026-11-20T00:00:00Z', 'click_minutes_20261120'],
    ['click_visitors', '2026-01-02T03:04:05Z', 'click_visitors_20260102'],
    ['click_seen', '2026-11-20T13:59:59.999Z', 'click_seen_2026112013'],
  ] as const)('%s at %s is %s, and reads back as itself', (table, time, name) => {
    const partition = partitionAt(table, at(time));
    expect(partition.name).toBe(name);
    expect(partition.from).toBeLessThanOrEqual(at(time));
    expect(partition.to).toBeGreaterThan(at(time));
    expect(parsePartition(name)).toEqual(partition);
  });
});

describe('parsePartition', () => {
  it.each([
    'clicks',
    'clicks_2026112',
    'clicks_2026112013',
    'click_seen_20261120',
    'links_20261120',
  ])('leaves %s alone', (name) => {
    expect(parsePartition(name)).toBeUndefined();
  });
});

describe('isExpired', () => {
  it.each([
    ['clicks', '2026-08-22', false],
    ['clicks', '2026-08-21', true],
    ['click_minutes', '2026-11-13', false],
    ['click_minutes', '2026-11-12', true],
    ['click_visitors', '2026-11-19', false],
    ['click_visitors', '2026-11-18', true],
    ['click_seen', '2026-11-20T12:00Z', false],
    ['click_seen', '2026-11-20T11:00Z', false],
    ['click_seen', '2026-11-20T10:00Z', true],
  ] as const)('%s of %s: %s', (table, day, expected) => {
    expect(isExpired(partitionAt(table, at(day)), RETENTION, NOW)).toBe(expected);
  });

  it('leaves what is still written to, also for a worker whose clock is an hour behind', () => {
    for (const table of ['clicks', 'click_minutes', 'click_visitors', 'click_seen'] as const) {
      for (const written of [NOW, NOW - 3_600_000]) {
        const oldest = partitionAt(table, keptFrom(table, RETENTION, written));
        expect(isExpired(oldest, RETENTION, NOW)).toBe(false);
      }
    }
  });
});

describe('partitionsAhead', () => {
  it('is what is needed now and next', () => {
    expect(partitionsAhead(NOW).map(({ name }) => name)).toEqual([
      'clicks_20261120',
      'clicks_20261121',
      'click_minutes_20261120',
      'click_minutes_20261121',
      'click_visitors_20261120',
      'click_visitors_20261121',
      'click_seen_2026112013',
      'click_seen_2026112014',
    ]);
  });
});
