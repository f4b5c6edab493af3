import { inTransaction, type Pool, withRetry } from '@gatepost/postgres';

// Packers take turns; workers do not wait for them.
const ADVISORY_LOCK = 72_707_371;

/** Of a pack's names, those with the most clicks are kept: whoever sends made-up referrers must not fill our disk. */
const NAMES = { day: 1_000, month: 5_000 };

/**
 * Moves the rows of past days into packs: into that of the day, and into that of its month. What comes late becomes rows
 * again, which the next run adds to the same packs: at any time, rows and packs together are the whole.
 */
const PACK = `
WITH due AS (
  SELECT DISTINCT code, day FROM (
    SELECT code, day FROM click_breakdowns
    WHERE code >= $3 AND day < date '1970-01-01' + $1::int ORDER BY code, day LIMIT $2
  ) AS rows
), moved AS (
  DELETE FROM click_breakdowns USING due
  WHERE click_breakdowns.code = due.code AND click_breakdowns.day = due.day
  RETURNING click_breakdowns.*
), added AS (
  SELECT code, 'd'::char(1) AS width, day AS start, kind, name, humans, bots FROM moved
  UNION ALL
  SELECT code, 'm'::char(1), date_trunc('month', day)::date, kind, name, humans, bots FROM moved
), packed AS (
  SELECT pack.code, pack.width, pack.start, pack.kind, share.*
  FROM click_breakdown_packs AS pack, unnest(pack.names, pack.humans, pack.bots) AS share (name, humans, bots)
  WHERE (pack.code, pack.width, pack.start, pack.kind) IN (SELECT code, width, start, kind FROM added)
), merged AS (
  SELECT code, width, start, kind, name, sum(humans)::bigint AS humans, sum(bots)::bigint AS bots
  FROM (SELECT * FROM added UNION ALL SELECT * FROM packed) AS shares
  GROUP BY code, width, start, kind, name
), ranked AS (
  SELECT *, row_number() OVER (PARTITION BY code, width, start, kind ORDER BY humans + bots DESC, name) AS place FROM merged
), written AS (
  INSERT INTO click_breakdown_packs (code, width, start, kind, names, humans, bots)
  SELECT code, width, start, kind,
    array_agg(name ORDER BY place), array_agg(humans ORDER BY place), array_agg(bots ORDER BY place)
  FROM ranked WHERE place <= CASE width WHEN 'd' THEN ${NAMES.day} ELSE ${NAMES.month} END
  GROUP BY code, width, start, kind
  ON CONFLICT (code, width, start, kind)
  DO UPDATE SET names = excluded.names, humans = excluded.humans, bots = excluded.bots
)
SELECT count(*)::int AS moved, max(code) AS "lastCode" FROM moved`;

/** Rows that one transaction moves, more or less: days of a link are not torn apart. */
const BATCH = 5_000;

export class PackRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Packs some of what is older than a day (days since 1970), from a code on. Returns how many rows that were, 0 when there
   * are no more, and the code to go on from: to begin anew each time would mean to pass all recent rows each time.
   */
  packBefore(day: number, fromCode: string): Promise<{ moved: number; lastCode: string }> {
    return withRetry(() =>
      inTransaction(this.pool, async (client) => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
        const { rows } = await client.query<{ moved: number; lastCode: string | null }>(PACK, [
          day,
          BATCH,
          fromCode,
        ]);
        return { moved: rows[0]?.moved ?? 0, lastCode: rows[0]?.lastCode ?? fromCode };
      }),
    );
  }
}
