import { linkStats, type StatsQuery } from '@gatepost/contracts';
import { describeWith } from '@gatepost/test-services';
import { type MigratedDatabase, openMigratedDatabase } from '../testing/migrated-database.ts';
import { LinkStatistics } from './link-statistics.service.ts';
import { PackRepository } from './pack.repository.ts';
import { PartitionRepository } from './partition.repository.ts';
import { partitionAt } from './partitions.ts';
import { StatsRepository } from './stats.repository.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-20T13:14:15Z');
const TODAY = Math.floor(NOW / DAY_MS);
const CODE = 'AbC1234';

describeWith(['postgres'], 'LinkStatistics', () => {
  let database: MigratedDatabase;
  let statistics: LinkStatistics;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    statistics = new LinkStatistics(new StatsRepository(database.pool), 7);
  });

  beforeEach(() => database.empty());

  afterAll(() => database.close());

  const run = (sql: string, values: unknown[] = []) => database.pool.query(sql, values);
  const read = async (query: StatsQuery) =>
    linkStats.parse(await statistics.read(CODE, query, NOW));

  it('has nothing to say of a link that nobody clicked, in the shape of the contract', async () => {
    const stats = await read({ interval: 'day' });
    expect(stats).toMatchObject({
      from: '2026-10-22T00:00:00.000Z',
      to: '2026-11-21T00:00:00.000Z',
      total: 0,
      humans: 0,
      bots: 0,
      uniques: 0,
      referrers: [],
      countries: [],
    });
    expect(stats.series).toHaveLength(30);
  });

  it('adds up what lies in the range, and shows every interval of it', async () => {
    await run(
      `INSERT INTO click_hours VALUES
        ($1, '2026-11-20T09:00Z', 5, 1), ($1, '2026-11-20T10:00Z', 3, 0), ($1, '2026-11-20T12:00Z', 2, 2),
        ($1, '2026-11-20T13:00Z', 9, 9), ('AbC1235', '2026-11-20T10:00Z', 50, 50)`,
      [CODE],
    );
    const stats = await read({
      interval: 'hour',
      from: '2026-11-20T10:30:00Z',
      to: '2026-11-20T12:30:00Z',
    });
    expect(stats).toMatchObject({ total: 7, humans: 5, bots: 2 });
    expect(stats.series).toEqual([
      { time: '2026-11-20T10:00:00.000Z', total: 3, humans: 3, bots: 0 },
      { time: '2026-11-20T11:00:00.000Z', total: 0, humans: 0, bots: 0 },
      { time: '2026-11-20T12:00:00.000Z', total: 4, humans: 2, bots: 2 },
    ]);
  });

  it('breaks down the days that the range touches, most clicks first, unknown as null', async () => {
    await run(
      `INSERT INTO click_days VALUES ($1, '2026-11-19', 40, 2, 7), ($1, '2026-11-20', 10, 1, 3), ($1, '2026-11-21', 1, 0, 1)`,
      [CODE],
    );
    await run(
      `INSERT INTO click_breakdowns VALUES
        ($1, '2026-11-19', 'r', 'example.com', 4, 0), ($1, '2026-11-20', 'r', 'example.com', 1, 0),
        ($1, '2026-11-20', 'r', '', 9, 1), ($1, '2026-11-18', 'r', 'old.example', 9, 1),
        ($1, '2026-11-20', 'c', 'DE', 3, 0), ($1, '2026-11-20', 'b', 'Firefox', 3, 0),
        ($1, '2026-11-20', 's', 'Linux', 3, 0), ($1, '2026-11-20', 'd', 'desktop', 3, 0)`,
      [CODE],
    );
    const stats = await read({
      interval: 'hour',
      from: '2026-11-19T22:00:00Z',
      to: '2026-11-20T01:00:00Z',
    });
    expect(stats.uniques).toBe(10);
    expect(stats.referrers).toEqual([
      { name: null, total: 10, humans: 9, bots: 1 },
      { name: 'example.com', total: 5, humans: 5, bots: 0 },
    ]);
    const one = (name: string) => [{ name, total: 3, humans: 3, bots: 0 }];
    expect(stats).toMatchObject({
      countries: one('DE'),
      browsers: one('Firefox'),
      systems: one('Linux'),
      devices: one('desktop'),
    });
  });

  it.each([
    [
      'an end before its beginning',
      { interval: 'day', from: '2026-11-20T00:00:00Z', to: '2026-11-01T00:00:00Z' },
    ],
    ['more points than anyone can look at', { interval: 'minute', from: '2026-11-14T00:00:00Z' }],
    [
      'minutes that are no longer kept',
      { interval: 'minute', from: '2026-11-10T00:00:00Z', to: '2026-11-10T01:00:00Z' },
    ],
  ] as const)('refuses %s, and says which member is wrong', async (_what, query) => {
    await expect(read(query)).rejects.toMatchObject({
      code: 'invalid-request',
      errors: [{ pointer: '/from' }],
    });
  });

  it('answers for a link with 10 million clicks in less than 50 ms', async () => {
    await growLink(database, { days: 400, clicks: 10_000_000 });
    const ranges: [string, StatsQuery, number][] = [
      ['a month of days', { interval: 'day' }, 750_000],
      ['all of it by day', { interval: 'day', from: '2025-10-17T00:00:00Z' }, 10_000_000],
      [
        '150 days by hour',
        { interval: 'hour', from: '2026-06-24T00:00:00Z', to: '2026-11-21T00:00:00Z' },
        3_750_000,
      ],
      [
        'a day of minutes',
        { interval: 'minute', from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
        25_000,
      ],
    ];
    for (const [what, query, total] of ranges) {
      const times: number[] = [];
      for (let round = 0; round < 10; round++) {
        const began = performance.now();
        const stats = await statistics.read(CODE, query, NOW);
        times.push(performance.now() - began);
        expect(stats.total).toBe(total);
        expect(stats.referrers).toHaveLength(100);
      }
      // The best of ten: what it takes, without what else this machine is doing.
      const best = Math.min(...times);
      process.stdout.write(`statistics of 10 million clicks, ${what}: ${best.toFixed(1)} ms\n`);
      expect(best).toBeLessThan(50);
    }
  }, 120_000);
});

/** Rollups of a busy link, as the worker and the nightly job would have left them: 284 names a day in five breakdowns. */
async function growLink(
  { pool }: MigratedDatabase,
  { days, clicks }: { days: number; clicks: number },
): Promise<void> {
  const perDay = clicks / days;
  const perHour = Math.floor(perDay / 24);
  const spread = (per: number, intervals: number) =>
    `CASE WHEN n % ${intervals} = 0 THEN ${perDay} - ${per} * ${intervals - 1} ELSE ${per} END`;
  const first = `date '1970-01-01' + ${TODAY - days + 1}`;
  const partitions = new PartitionRepository(pool);
  await partitions.ensure(
    Array.from({ length: 8 }, (_, ago) => partitionAt('click_minutes', (TODAY - ago) * DAY_MS)),
  );
  await pool.query(
    `INSERT INTO click_days SELECT '${CODE}', ${first} + n, ${perDay}, 0, 1000 FROM generate_series(0, ${days - 1}) AS n`,
  );
  await pool.query(
    `INSERT INTO click_hours SELECT '${CODE}', (${first})::timestamp AT TIME ZONE 'UTC' + n * interval '1 hour', ${spread(perHour, 24)}, 0
     FROM generate_series(0, ${days * 24 - 1}) AS n`,
  );
  const perMinute = Math.floor(perDay / 1_440);
  await pool.query(
    `INSERT INTO click_minutes SELECT '${CODE}', (date '1970-01-01' + ${TODAY - 7})::timestamp AT TIME ZONE 'UTC' + n * interval '1 minute', ${spread(perMinute, 1_440)}, 0
     FROM generate_series(0, ${8 * 1_440 - 1}) AS n`,
  );
  await pool.query(
    `INSERT INTO click_breakdowns SELECT '${CODE}', ${first} + d, kind, kind || n, ${perDay} / names, 0
     FROM generate_series(0, ${days - 1}) AS d,
       (VALUES ('r', 150), ('b', 20), ('s', 10), ('d', 4), ('c', 100)) AS kinds (kind, names), generate_series(1, names) AS n`,
  );
  const packs = new PackRepository(pool);
  for (let moved = 1; moved > 0; ) ({ moved } = await packs.packBefore(TODAY - 1, ''));
  await pool.query('ANALYZE');
}
