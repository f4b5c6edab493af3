import type { StatsInterval } from '@gatepost/contracts';
import type { Pool } from '@gatepost/postgres';
import type { Point, StatsRange, TouchedDays } from './stats-range.ts';
import type { BreakdownKind } from './tally.ts';

export interface Share {
  readonly kind: BreakdownKind;
  /** Empty: unknown. */
  readonly name: string;
  readonly humans: number;
  readonly bots: number;
}

/** Shares that are answered, a kind. */
const SHARES = 100;

/** Where the points of an interval are kept. Doubles are exact up to 2^53, and PostgreSQL adds them faster than integers. */
const POINTS: Readonly<Record<StatsInterval, { name: string; text: string }>> = {
  minute: {
    name: 'stats-minutes',
    text: `SELECT extract(epoch FROM minute)::float8 * 1000 AS time, humans::float8, bots::float8 FROM click_minutes
      WHERE code = $1 AND minute >= to_timestamp($2::float8 / 1000) AND minute < to_timestamp($3::float8 / 1000)`,
  },
  hour: {
    name: 'stats-hours',
    text: `SELECT extract(epoch FROM hour)::float8 * 1000 AS time, humans::float8, bots::float8 FROM click_hours
      WHERE code = $1 AND hour >= to_timestamp($2::float8 / 1000) AND hour < to_timestamp($3::float8 / 1000)`,
  },
  day: {
    name: 'stats-days',
    text: `SELECT extract(epoch FROM day)::float8 * 1000 AS time, humans::float8, bots::float8 FROM click_days
      WHERE code = $1 AND day >= (to_timestamp($2::float8 / 1000) AT TIME ZONE 'UTC')::date
        AND day < (to_timestamp($3::float8 / 1000) AT TIME ZONE 'UTC')::date`,
  },
};

const EPOCH = "date '1970-01-01'";

/** Days of today and yesterday lie in rows, those before in packs; whole months are read as one. */
const SHARES_OF_DAYS = `
WITH parts AS (
  SELECT kind, name, humans::float8, bots::float8 FROM click_breakdowns
  WHERE code = $1 AND day >= ${EPOCH} + $2::int AND day < ${EPOCH} + $3::int
  UNION ALL
  SELECT kind, share.* FROM click_breakdown_packs, unnest(names, humans::float8[], bots::float8[]) AS share
  WHERE code = $1 AND width = 'd' AND start >= ${EPOCH} + $2::int AND start < ${EPOCH} + $4::int
  UNION ALL
  SELECT kind, share.* FROM click_breakdown_packs, unnest(names, humans::float8[], bots::float8[]) AS share
  WHERE code = $1 AND width = 'm' AND start >= ${EPOCH} + $4::int AND start < ${EPOCH} + $5::int
  UNION ALL
  SELECT kind, share.* FROM click_breakdown_packs, unnest(names, humans::float8[], bots::float8[]) AS share
  WHERE code = $1 AND width = 'd' AND start >= ${EPOCH} + $5::int AND start < ${EPOCH} + $3::int
), shares AS (
  SELECT kind, name, sum(humans) AS humans, sum(bots) AS bots,
    row_number() OVER (PARTITION BY kind ORDER BY sum(humans) + sum(bots) DESC, name) AS place
  FROM parts GROUP BY kind, name
)
SELECT kind, name, humans, bots FROM shares WHERE place <= ${SHARES} ORDER BY kind, place`;

/** Reads the counts of a link. Nothing is added up that the worker has added up already. */
export class StatsRepository {
  constructor(private readonly pool: Pool) {}

  async findPoints(code: string, { interval, from, to }: StatsRange): Promise<Point[]> {
    const { rows } = await this.pool.query<Point>({
      ...POINTS[interval],
      values: [code, from, to],
    });
    return rows;
  }

  async countUniques(code: string, { from, to }: TouchedDays): Promise<number> {
    const { rows } = await this.pool.query<{ uniques: number }>({
      name: 'stats-uniques',
      text: `SELECT COALESCE(sum(uniques), 0)::float8 AS uniques FROM click_days
        WHERE code = $1 AND day >= ${EPOCH} + $2::int AND day < ${EPOCH} + $3::int`,
      values: [code, from, to],
    });
    return rows[0]?.uniques ?? 0;
  }

  /** By kind, most clicks first. */
  async findShares(code: string, days: TouchedDays): Promise<Share[]> {
    const { rows } = await this.pool.query<Share>({
      name: 'stats-shares',
      text: SHARES_OF_DAYS,
      values: [code, days.from, days.to, days.monthsFrom, days.monthsTo],
    });
    return rows;
  }
}
