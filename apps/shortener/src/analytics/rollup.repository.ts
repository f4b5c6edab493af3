import { inTransaction, type Pool, type PoolClient, withRetry } from '@gatepost/postgres';
import { plainArray, textArray } from './array-literal.ts';
import { BREAKDOWN_KINDS, type LinkDayTally, toHours } from './tally.ts';

/** A step of the worker through a partition of the topic. */
export interface PositionStep {
  readonly cluster: string;
  readonly topic: string;
  readonly partition: number;
  /** Where the worker believes to be; undefined where nobody has been. */
  readonly expected: bigint | undefined;
  readonly next: bigint;
}

/** Somebody else has moved on from where this worker believed to be: it lost the partition, or its last answer. */
export class PositionMoved extends Error {}

/** A visitor of a link on a day, both as the tables have them. */
export interface Visit {
  readonly day: number;
  readonly code: string;
  readonly visitor: string;
}

/** A click as it is kept, while it is kept. */
export interface RawRow {
  readonly time: number;
  readonly id: string;
  readonly code: string;
  readonly ip: string | null;
  readonly country: string | null;
  readonly referrer: string | null;
  readonly userAgent: string | null;
  readonly isBot: boolean;
}

/** The statements that count clicks. All of a batch happens in one transaction, or nothing of it. */
export class RollupRepository {
  constructor(private readonly pool: Pool) {}

  transact<T>(work: (counting: CountingTransaction) => Promise<T>): Promise<T> {
    return withRetry(() =>
      inTransaction(this.pool, (client) => work(new CountingTransaction(client))),
    );
  }

  async position(place: Omit<PositionStep, 'expected' | 'next'>): Promise<bigint | undefined> {
    const { rows } = await this.pool.query<{ next_offset: string }>({
      name: 'click-position',
      text: 'SELECT next_offset FROM click_offsets WHERE cluster = $1 AND topic = $2 AND partition = $3',
      values: [place.cluster, place.topic, place.partition],
    });
    return rows[0] === undefined ? undefined : BigInt(rows[0].next_offset);
  }

  /** When the position last moved, milliseconds; 0 where it never did. */
  async countedAt(place: Omit<PositionStep, 'expected' | 'next'>): Promise<number> {
    const { rows } = await this.pool.query<{ updated_at: Date }>(
      'SELECT updated_at FROM click_offsets WHERE cluster = $1 AND topic = $2 AND partition = $3',
      [place.cluster, place.topic, place.partition],
    );
    return rows[0]?.updated_at.getTime() ?? 0;
  }
}

export class CountingTransaction {
  constructor(private readonly client: PoolClient) {}

  /**
   * Compare-and-set of the position. The row stays locked until the end, so that a worker that lost its partition in the
   * middle of a batch waits here and then finds itself late. What a crash of the server forgets of an unsynchronised
   * commit, position and counts alike, Kafka sends again: the commit need not wait for the disk.
   */
  async move({ cluster, topic, partition, expected, next }: PositionStep): Promise<void> {
    const moved =
      expected === undefined
        ? await this.client.query({
            name: 'click-position-first',
            text: `INSERT INTO click_offsets (cluster, topic, partition, next_offset) VALUES ($1, $2, $3, $4)
              ON CONFLICT DO NOTHING RETURNING set_config('synchronous_commit', 'off', true)`,
            values: [cluster, topic, partition, String(next)],
          })
        : await this.client.query({
            name: 'click-position-move',
            text: `UPDATE click_offsets SET next_offset = $4, updated_at = now()
              WHERE cluster = $1 AND topic = $2 AND partition = $3 AND next_offset = $5
              RETURNING set_config('synchronous_commit', 'off', true)`,
            values: [cluster, topic, partition, String(next), String(expected)],
          });
    if (moved.rowCount !== 1)
      throw new PositionMoved(`${topic}/${partition} is not at ${expected}`);
  }

  /** Remembers event ids; returns those that were counted before, within this hour or the last. The clock is the database's. */
  async remember(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.client.query<{ fresh: string[] | null }>({
      name: 'click-remember',
      text: `WITH fresh AS (
          INSERT INTO click_seen (hour, event_id)
          SELECT date_trunc('hour', now(), 'UTC'), id FROM unnest($1::uuid[]) AS given (id)
          WHERE NOT EXISTS (
            SELECT FROM click_seen WHERE hour = date_trunc('hour', now(), 'UTC') - interval '1 hour' AND event_id = id)
          ON CONFLICT DO NOTHING RETURNING event_id)
        SELECT CASE WHEN count(*) < $2 THEN COALESCE(array_agg(event_id), '{}') END AS fresh FROM fresh`,
      values: [plainArray(ids), ids.length],
    });
    // Nearly always all are fresh, and none of them has to travel back.
    const seen = new Set<string>();
    const [row] = rows;
    if (row === undefined || row.fresh === null) return seen;
    for (const id of ids) seen.add(id);
    for (const id of row.fresh) seen.delete(id);
    return seen;
  }

  /** Adds to the counts. `visits` name each visitor as often as they like: they count once a day. */
  async add(counts: {
    tallies: readonly LinkDayTally[];
    visits: readonly Visit[];
    /** Minutes before this are not kept: days since 1970. */
    minutesFromDay: number;
  }): Promise<void> {
    const { tallies, visits, minutesFromDay } = counts;
    const minutes = new CountColumns<[string, number]>(2);
    const hours = new CountColumns<[string, number]>(2);
    const days = new CountColumns<[string, number]>(2);
    const breakdowns = new CountColumns<[string, number, string, string]>(4);
    for (const tally of tallies) {
      const { code, day } = tally;
      days.add([code, day], tally);
      for (const [hour, count] of toHours(tally.minutes)) hours.add([code, hour], count);
      if (day >= minutesFromDay)
        for (const [minute, count] of tally.minutes) minutes.add([code, minute], count);
      for (const kind of BREAKDOWN_KINDS)
        for (const [name, count] of tally.breakdowns[kind])
          breakdowns.add([code, day, kind, name], count);
    }
    await this.client.query({
      name: 'click-add',
      text: ADD_COUNTS,
      values: [
        ...minutes.literals(),
        ...hours.literals(),
        ...days.literals(),
        ...breakdowns.literals(),
        plainArray(visits.map(({ day }) => day)),
        plainArray(visits.map(({ code }) => code)),
        plainArray(visits.map(({ visitor }) => visitor)),
      ],
    });
  }

  async keep(rows: readonly RawRow[]): Promise<void> {
    await this.client.query({
      name: 'click-keep',
      text: `INSERT INTO clicks (time, event_id, code, ip, country, referrer, user_agent, is_bot)
        SELECT to_timestamp(time::float8 / 1000), event_id, code, ip, country, referrer, user_agent, is_bot
        FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[])
          AS click (time, event_id, code, ip, country, referrer, user_agent, is_bot)`,
      values: [
        plainArray(rows.map(({ time }) => time)),
        plainArray(rows.map(({ id }) => id)),
        plainArray(rows.map(({ code }) => code)),
        textArray(rows.map(({ ip }) => ip)),
        textArray(rows.map(({ country }) => country)),
        textArray(rows.map(({ referrer }) => referrer)),
        textArray(rows.map(({ userAgent }) => userAgent)),
        plainArray(rows.map(({ isBot }) => (isBot ? 't' : 'f'))),
      ],
    });
  }
}

/** Rows of keys and counts, turned into one array a column. */
class CountColumns<K extends (string | number)[]> {
  private readonly keys: (string | number)[][];
  private readonly humans: number[] = [];
  private readonly bots: number[] = [];

  constructor(width: number) {
    this.keys = Array.from({ length: width }, () => []);
  }

  add(key: K, count: { readonly humans: number; readonly bots: number }): void {
    for (let column = 0; column < key.length; column++)
      this.keys[column]?.push(key[column] as string | number);
    this.humans.push(count.humans);
    this.bots.push(count.bots);
  }

  literals(): string[] {
    // Names may hold anything a visitor sent; the other keys are codes, kinds and numbers.
    const keys = this.keys.map((column, index) =>
      index === NAME_COLUMN ? textArray(column as string[]) : plainArray(column),
    );
    return [...keys, plainArray(this.humans), plainArray(this.bots)];
  }
}

const NAME_COLUMN = 3;

/** Everything that a batch adds, in one round trip. A visitor who is new today is one more unique of the day. */
const ADD_COUNTS = `
WITH minutes AS (
  INSERT INTO click_minutes AS kept (code, minute, humans, bots)
  SELECT code, to_timestamp(minute * 60), humans, bots
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS more (code, minute, humans, bots)
  ON CONFLICT (code, minute) DO UPDATE SET humans = kept.humans + excluded.humans, bots = kept.bots + excluded.bots
), hours AS (
  INSERT INTO click_hours AS kept (code, hour, humans, bots)
  SELECT code, to_timestamp(hour * 3600), humans, bots
  FROM unnest($5::text[], $6::bigint[], $7::bigint[], $8::bigint[]) AS more (code, hour, humans, bots)
  ON CONFLICT (code, hour) DO UPDATE SET humans = kept.humans + excluded.humans, bots = kept.bots + excluded.bots
), visitors AS (
  INSERT INTO click_visitors (day, code, visitor)
  SELECT date '1970-01-01' + day, code, visitor
  FROM unnest($19::int[], $20::text[], $21::bigint[]) AS visit (day, code, visitor)
  ORDER BY day, code, visitor
  ON CONFLICT DO NOTHING RETURNING day, code
), uniques AS (
  SELECT day, code, count(*) AS uniques FROM visitors GROUP BY day, code
), days AS (
  INSERT INTO click_days AS kept (code, day, humans, bots, uniques)
  SELECT code, day, humans, bots, COALESCE(uniques, 0)
  FROM (
    SELECT code, date '1970-01-01' + day AS day, humans, bots
    FROM unnest($9::text[], $10::int[], $11::bigint[], $12::bigint[]) AS more (code, day, humans, bots)
  ) AS more LEFT JOIN uniques USING (code, day)
  ORDER BY code, day
  ON CONFLICT (code, day) DO UPDATE SET
    humans = kept.humans + excluded.humans, bots = kept.bots + excluded.bots, uniques = kept.uniques + excluded.uniques
)
INSERT INTO click_breakdowns AS kept (code, day, kind, name, humans, bots)
SELECT code, date '1970-01-01' + day, kind, name, humans, bots
FROM unnest($13::text[], $14::int[], $15::char(1)[], $16::text[], $17::bigint[], $18::bigint[])
  AS more (code, day, kind, name, humans, bots)
ON CONFLICT (code, day, kind, name) DO UPDATE SET humans = kept.humans + excluded.humans, bots = kept.bots + excluded.bots`;
