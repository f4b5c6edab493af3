import { z } from 'zod';
import { timestamp } from './link.ts';

export const statsInterval = z.enum(['minute', 'hour', 'day']);
export type StatsInterval = z.infer<typeof statsInterval>;

/** Bounds are answered in RFC 3339, whose years have four digits, also after they were rounded to an interval. */
const instant = z.iso.datetime({ offset: true }).refine((text) => {
  const year = new Date(text).getUTCFullYear();
  // What is no time at all has been complained of already.
  return Number.isNaN(year) || (year >= 1970 && year < 9_999);
}, 'must lie between the years 1970 and 9998');

/** Query of GET /links/{code}/stats. Absent bounds: the last hour, 24 hours or 30 days, by interval. */
export const statsQuery = z.strictObject({
  from: instant
    .optional()
    .meta({ description: 'RFC 3339; begins the series, rounded down to the interval' }),
  to: instant
    .optional()
    .meta({ description: 'RFC 3339; ends the series, rounded up to the interval. Absent: now' }),
  interval: statsInterval.default('day').meta({ description: 'Width of a point, in UTC' }),
});
export type StatsQuery = z.infer<typeof statsQuery>;

const count = z.int().min(0);

/** Clicks of one value of a breakdown. */
export const statsShare = z
  .object({
    name: z.string().nullable().meta({
      description: 'null: unknown, or for referrers none at all',
    }),
    total: count,
    humans: count,
    bots: count,
  })
  .meta({ id: 'StatsShare' });
export type StatsShare = z.infer<typeof statsShare>;

const shares = (description: string) => z.array(statsShare).max(100).meta({ description });

/**
 * The clicks of a link between two times. `total` = `humans` + `bots` = the sum of `series`. Uniques and breakdowns are
 * kept per UTC day: they cover the whole days that the range touches.
 */
export const linkStats = z
  .object({
    from: timestamp,
    to: timestamp,
    interval: statsInterval,
    total: count,
    humans: count,
    bots: count.meta({ description: 'Crawlers, previews and other programs; not in `humans`' }),
    uniques: count.meta({
      description: 'Human visitors, each counted once a UTC day, summed over the days',
    }),
    series: z.array(z.object({ time: timestamp, total: count, humans: count, bots: count })).meta({
      description: 'One point an interval, oldest first, also where nothing happened',
    }),
    referrers: shares('Hosts that linked here, most clicks first'),
    browsers: shares('Most clicks first'),
    systems: shares('Operating systems, most clicks first'),
    devices: shares('desktop, mobile, tablet, tv, … , most clicks first'),
    countries: shares('ISO 3166-1 alpha-2, most clicks first; unknown without a country database'),
  })
  .meta({ id: 'LinkStats' });
export type LinkStats = z.infer<typeof linkStats>;
