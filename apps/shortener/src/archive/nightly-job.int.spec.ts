import { randomBytes } from 'node:crypto';
import { createLogger } from '@gatepost/service-kit';
import { describeWith } from '@gatepost/test-services';
import { PackRepository } from '../analytics/pack.repository.ts';
import { PartitionRepository } from '../analytics/partition.repository.ts';
import { PartitionKeeper } from '../analytics/partition-keeper.ts';
import { partitionAt } from '../analytics/partitions.ts';
import { SaltRepository } from '../analytics/salt.repository.ts';
import { StatsRepository } from '../analytics/stats.repository.ts';
import { touchedDays } from '../analytics/stats-range.ts';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.ts';
import { type MigratedDatabase, openMigratedDatabase } from '../testing/migrated-database.ts';
import { ArchiveRepository } from './archive.repository.ts';
import { NightlyJob } from './nightly-job.ts';

const logger = createLogger({ name: 'spec', level: 'silent' });
const NOW = new Date('2026-11-20T03:00:00Z');
const DAY_MS = 86_400_000;
const RETENTION = { CLICK_RAW_RETENTION_DAYS: 90, CLICK_MINUTE_RETENTION_DAYS: 7 };

describeWith(['postgres'], 'the nightly job', () => {
  let database: MigratedDatabase;
  let codes = 0;

  beforeAll(async () => {
    database = await openMigratedDatabase();
  });

  beforeEach(() => database.empty());

  afterAll(() => database.close());

  const jobWith = (batch: number) =>
    new NightlyJob({
      links: new ArchiveRepository(database.pool),
      answers: new IdempotencyRepository(database.pool),
      packs: new PackRepository(database.pool),
      salts: new SaltRepository(database.pool),
      partitions: new PartitionKeeper(new PartitionRepository(database.pool), RETENTION, logger),
      logger,
      batch,
    });
  const rows = async (sql: string, values: unknown[] = []) =>
    (await database.pool.query(sql, values)).rows;
  const number = async (sql: string) => Number((await rows(sql))[0]?.['number']);

  /** Links that expire at a time, or never. Codes are never used again, not even by a spec. */
  async function createLinks(count: number, expiresAt: string | null): Promise<string[]> {
    const created = Array.from({ length: count }, () => `x${String(codes++).padStart(6, '0')}`);
    await rows('INSERT INTO link_codes SELECT unnest($1::text[])', [created]);
    await rows(
      `INSERT INTO links (code, long_url, owner, created_at, expires_at, track_clicks, version, blocked_reason)
       SELECT unnest($1::text[]), 'https://example.com/', 'user:1', '2026-01-01', $2::timestamptz, false, 3, 'phishing'`,
      [created, expiresAt],
    );
    return created;
  }

  it('moves expired links to the archive, whole, and leaves the others', async () => {
    const [expired] = await createLinks(1, '2026-11-20T02:59:59Z');
    const kept = [
      ...(await createLinks(1, '2026-11-20T03:00:01Z')),
      ...(await createLinks(1, null)),
    ];
    const report = await jobWith(100).run(NOW);
    expect(report).toMatchObject({ archivedLinks: 1, failed: [] });
    expect(await rows('SELECT * FROM link_archive')).toEqual([
      {
        code: expired,
        long_url: 'https://example.com/',
        owner: 'user:1',
        created_at: new Date('2026-01-01T00:00:00Z'),
        expires_at: new Date('2026-11-20T02:59:59Z'),
        track_clicks: false,
        version: 3,
        blocked_reason: 'phishing',
        blocked_at: null,
        scanned_at: null,
        archived_at: NOW,
      },
    ]);
    expect((await rows('SELECT code FROM links ORDER BY code')).map(({ code }) => code)).toEqual(
      kept,
    );
  });

  it('leaves the codes of archived links taken for ever', async () => {
    const created = await createLinks(3, '2026-11-01T00:00:00Z');
    await jobWith(100).run(NOW);
    for (const code of created)
      await expect(rows('INSERT INTO link_codes VALUES ($1)', [code])).rejects.toMatchObject({
        code: '23505',
      });
  });

  it('works in batches until nothing is left, and a second run finds nothing to do', async () => {
    await createLinks(250, '2026-11-01T00:00:00Z');
    expect(await jobWith(100).run(NOW)).toMatchObject({ archivedLinks: 250 });
    expect(await jobWith(100).run(NOW)).toMatchObject({ archivedLinks: 0, failed: [] });
    expect(await number('SELECT count(*) AS number FROM link_archive')).toBe(250);
  });

  it('goes on where a run was cut off', async () => {
    await createLinks(250, '2026-11-01T00:00:00Z');
    const links = new ArchiveRepository(database.pool);
    expect(await links.archiveExpired(NOW, 100)).toBe(100);
    expect(await jobWith(100).run(NOW)).toMatchObject({ archivedLinks: 150 });
  });

  it('shares the work with other runs of itself, without an error and without moving a link twice', async () => {
    await createLinks(1_000, '2026-11-01T00:00:00Z');
    await addBreakdowns('2026-11-10', 300);
    const reports = await Promise.all([1, 2, 3, 4].map(() => jobWith(50).run(NOW)));
    expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
    expect(reports.reduce((sum, { archivedLinks }) => sum + archivedLinks, 0)).toBe(1_000);
    expect(await number('SELECT count(*) AS number FROM link_archive')).toBe(1_000);
    expect(await number('SELECT count(*) AS number FROM links')).toBe(0);
    expect(await shareSum('2026-11-10', '2026-11-11')).toBe(300);
  });

  it('does not wait for a link that somebody holds', async () => {
    const [held] = await createLinks(2, '2026-11-01T00:00:00Z');
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT * FROM links WHERE code = $1 FOR UPDATE', [held]);
    expect(await jobWith(100).run(NOW)).toMatchObject({ archivedLinks: 1 });
    await client.query('ROLLBACK');
    client.release();
    expect(await jobWith(100).run(NOW)).toMatchObject({ archivedLinks: 1 });
  });

  it('forgets answers to requests that may no longer be repeated', async () => {
    await rows(
      `INSERT INTO idempotent_answers (caller, key, fingerprint, status, body, created_at)
       SELECT 'user:1', n::text, '\\x00', 201, '{}', now() - n * interval '10 hours' FROM generate_series(1, 4) AS n`,
    );
    expect(await jobWith(1).run(NOW)).toMatchObject({ forgottenAnswers: 2 });
  });

  it('destroys the salts of past days, and drops the partitions whose time is over', async () => {
    const partitions = new PartitionRepository(database.pool);
    const at = (daysAgo: number) => NOW.getTime() - daysAgo * DAY_MS;
    await partitions.ensure([
      partitionAt('clicks', at(90)),
      partitionAt('clicks', at(91)),
      partitionAt('click_minutes', at(7)),
      partitionAt('click_minutes', at(8)),
      partitionAt('click_visitors', at(1)),
      partitionAt('click_visitors', at(2)),
      partitionAt('click_seen', at(1)),
    ]);
    for (const day of ['2026-11-18', '2026-11-19', '2026-11-20'])
      await rows('INSERT INTO click_salts VALUES ($1, $2)', [day, randomBytes(32)]);
    expect(await jobWith(100).run(NOW)).toMatchObject({
      destroyedSalts: 1,
      droppedPartitions: 4,
      failed: [],
    });
    expect(
      (await rows('SELECT day::text FROM click_salts ORDER BY day')).map(({ day }) => day),
    ).toEqual(['2026-11-19', '2026-11-20']);
    expect((await partitions.list()).map(({ name }) => name)).toEqual([
      'click_minutes_20261113',
      'click_minutes_20261120',
      'click_minutes_20261121',
      'click_seen_2026112003',
      'click_seen_2026112004',
      'click_visitors_20261119',
      'click_visitors_20261120',
      'click_visitors_20261121',
      'clicks_20260822',
      'clicks_20261120',
      'clicks_20261121',
    ]);
  });

  it('leaves a partition that is in use for the next run', async () => {
    const partitions = new PartitionRepository(database.pool);
    const old = partitionAt('clicks', NOW.getTime() - 100 * DAY_MS);
    await partitions.ensure([old]);
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT count(*) FROM click_partitions.${old.name}`);
    expect(await jobWith(100).run(NOW)).toMatchObject({ droppedPartitions: 0, failed: [] });
    await client.query('ROLLBACK');
    client.release();
    expect(await jobWith(100).run(NOW)).toMatchObject({ droppedPartitions: 1 });
  }, 20_000);

  async function addBreakdowns(day: string, names: number, clicks = 1): Promise<void> {
    await rows(
      `INSERT INTO click_breakdowns (code, day, kind, name, humans, bots)
       SELECT 'AbC1234', $1::date, 'r', 'site' || n, $3, 0 FROM generate_series(1, $2::int) AS n
       ON CONFLICT (code, day, kind, name) DO UPDATE SET humans = click_breakdowns.humans + excluded.humans`,
      [day, names, clicks],
    );
  }

  /** All clicks that the statistics of the days show. */
  async function shareSum(from: string, to: string): Promise<number> {
    const touched = touchedDays({ from: Date.parse(from), to: Date.parse(to) });
    const { rows: packed } = await database.pool.query(
      `SELECT COALESCE(sum(humans), 0)::int AS sum FROM (
         SELECT humans FROM click_breakdowns WHERE day >= $1 AND day < $2
         UNION ALL SELECT unnest(humans) FROM click_breakdown_packs WHERE width = 'd' AND start >= $1 AND start < $2) AS all_of_them`,
      [from, to],
    );
    const shown = await new StatsRepository(database.pool).findShares('AbC1234', touched);
    // The statistics show the hundred largest.
    expect(shown.length).toBeLessThanOrEqual(100);
    return packed[0].sum;
  }

  it('packs the breakdowns of past days, and what comes late goes into the same packs', async () => {
    await addBreakdowns('2026-10-05', 3);
    await addBreakdowns('2026-10-06', 3);
    await addBreakdowns('2026-11-19', 3);
    await addBreakdowns('2026-11-20', 3);
    const stats = new StatsRepository(database.pool);
    const shares = async (from: string, to: string) =>
      (
        await stats.findShares(
          'AbC1234',
          touchedDays({ from: Date.parse(from), to: Date.parse(to) }),
        )
      ).map(({ name, humans }) => `${name}:${humans}`);
    const ranges = [
      ['2026-10-05', '2026-10-06'],
      ['2026-10-01', '2026-11-01'],
      ['2026-09-01', '2026-12-01'],
      ['2026-10-06', '2026-11-20'],
    ] as const;
    const before = await Promise.all(ranges.map(([from, to]) => shares(from, to)));
    expect(await jobWith(100).run(NOW)).toMatchObject({ packedRows: 6, failed: [] });
    expect(await rows('SELECT day::text FROM click_breakdowns GROUP BY day ORDER BY day')).toEqual([
      { day: '2026-11-19' },
      { day: '2026-11-20' },
    ]);
    expect(await Promise.all(ranges.map(([from, to]) => shares(from, to)))).toEqual(before);

    await addBreakdowns('2026-10-05', 4, 10);
    expect(await shares('2026-10-05', '2026-10-06')).toEqual([
      'site1:11',
      'site2:11',
      'site3:11',
      'site4:10',
    ]);
    await jobWith(100).run(NOW);
    expect(await shares('2026-10-05', '2026-10-06')).toEqual([
      'site1:11',
      'site2:11',
      'site3:11',
      'site4:10',
    ]);
    expect(await shares('2026-10-01', '2026-11-01')).toEqual([
      'site1:12',
      'site2:12',
      'site3:12',
      'site4:10',
    ]);
  });

  it('keeps the thousand names of a day that were clicked most', async () => {
    await addBreakdowns('2026-11-10', 1_500);
    await addBreakdowns('2026-11-10', 800, 5);
    await jobWith(100).run(NOW);
    expect(
      await rows(
        "SELECT cardinality(names) AS names, humans[1]::int AS most FROM click_breakdown_packs WHERE width = 'd'",
      ),
    ).toEqual([{ names: 1_000, most: 6 }]);
  });

  it('goes on with its other steps when one fails, and says which', async () => {
    await createLinks(1, '2026-11-01T00:00:00Z');
    await rows('ALTER TABLE click_salts RENAME TO click_salts_elsewhere');
    try {
      expect(await jobWith(100).run(NOW)).toMatchObject({
        archivedLinks: 1,
        failed: ['destroy salts'],
      });
    } finally {
      await rows('ALTER TABLE click_salts_elsewhere RENAME TO click_salts');
    }
  });

  it('ends after the batch at hand when it is asked to', async () => {
    await createLinks(300, '2026-11-01T00:00:00Z');
    const job = jobWith(100);
    const running = job.run(NOW);
    job.stop();
    expect((await running).archivedLinks).toBeLessThan(300);
  });
});
