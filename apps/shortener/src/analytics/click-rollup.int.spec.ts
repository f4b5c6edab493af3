import { randomUUID } from 'node:crypto';
import { describeWith } from '@gatepost/test-services';
import { type MigratedDatabase, openMigratedDatabase } from '../testing/migrated-database.ts';
import { ClickRollup, type RollupSettings } from './click-rollup.ts';
import type { IncomingClick } from './incoming-click.ts';
import { PartitionRepository } from './partition.repository.ts';
import { partitionAt } from './partitions.ts';
import { PositionMoved, RollupRepository } from './rollup.repository.ts';
import { SaltRepository } from './salt.repository.ts';
import { describeAgent } from './user-agent.ts';

/** Real days: what was counted lately is known by the clock of the database. */
const NOW = Date.now();
const day = (ago: number) => new Date(NOW - ago * 86_400_000).toISOString().slice(0, 10);
const TODAY = day(0);
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const SETTINGS: RollupSettings = {
  ipMode: 'truncate',
  rawRetentionDays: 90,
  minuteRetentionDays: 7,
  countsUniques: true,
  refusesDuplicates: true,
};

function click(
  facts: Partial<IncomingClick['event']> & { at?: string; id?: string } = {},
): IncomingClick {
  const { at = `${TODAY}T13:10:30.000Z`, id = randomUUID(), ...event } = facts;
  return {
    id,
    time: Date.parse(at),
    event: {
      code: 'AbC1234',
      timestamp: at,
      ip: '203.0.113.9',
      referrer: null,
      userAgent: FIREFOX,
      ...event,
    },
  };
}

describeWith(['postgres'], 'ClickRollup', () => {
  let database: MigratedDatabase;

  beforeAll(async () => {
    database = await openMigratedDatabase();
  });

  beforeEach(() => database.empty());

  afterAll(() => database.close());

  const rollupWith = (settings: Partial<RollupSettings> = {}, now = NOW) =>
    new ClickRollup({
      rollups: new RollupRepository(database.pool),
      partitions: new PartitionRepository(database.pool),
      salts: new SaltRepository(database.pool),
      describeAgent,
      countryOf: (ip) => (ip.startsWith('203.') ? 'DE' : ''),
      settings: { ...SETTINGS, ...settings },
      now: () => now,
    });
  const rows = async (sql: string) => (await database.pool.query(sql)).rows;

  it('counts a click in every place where it is asked for', async () => {
    const rollup = rollupWith();
    await rollup.count([
      click({ referrer: 'https://www.example.com/page?q=secret' }),
      click({ userAgent: GOOGLEBOT, ip: '198.51.100.7' }),
    ]);
    expect(await rows('SELECT minute, humans, bots FROM click_minutes')).toEqual([
      { minute: new Date(`${TODAY}T13:10:00Z`), humans: '1', bots: '1' },
    ]);
    expect(await rows('SELECT hour, humans, bots FROM click_hours')).toEqual([
      { hour: new Date(`${TODAY}T13:00:00Z`), humans: '1', bots: '1' },
    ]);
    expect(await rows('SELECT day::text, humans, bots, uniques FROM click_days')).toEqual([
      { day: TODAY, humans: '1', bots: '1', uniques: '1' },
    ]);
    expect(
      await rows('SELECT kind, name, humans, bots FROM click_breakdowns ORDER BY kind, name'),
    ).toEqual([
      { kind: 'b', name: 'Firefox', humans: '1', bots: '0' },
      { kind: 'b', name: 'Googlebot', humans: '0', bots: '1' },
      { kind: 'c', name: '', humans: '0', bots: '1' },
      { kind: 'c', name: 'DE', humans: '1', bots: '0' },
      { kind: 'd', name: 'bot', humans: '0', bots: '1' },
      { kind: 'd', name: 'desktop', humans: '1', bots: '0' },
      { kind: 'r', name: '', humans: '0', bots: '1' },
      { kind: 'r', name: 'example.com', humans: '1', bots: '0' },
      { kind: 's', name: '', humans: '0', bots: '1' },
      { kind: 's', name: 'Linux', humans: '1', bots: '0' },
    ]);
  });

  it('adds to what is counted', async () => {
    const rollup = rollupWith();
    for (let round = 0; round < 3; round++) await rollup.count([click(), click()]);
    expect(await rows('SELECT humans FROM click_hours')).toEqual([{ humans: '6' }]);
    expect(await rows("SELECT humans FROM click_breakdowns WHERE kind = 'b'")).toEqual([
      { humans: '6' },
    ]);
  });

  it('counts an event once, in the same batch, in a later one, and by another worker', async () => {
    const twice = click();
    const first = await rollupWith().count([twice, twice, click()]);
    const second = await rollupWith().count([click(), twice]);
    const third = await rollupWith().count([twice]);
    expect([first, second, third]).toEqual([
      { counted: 2, duplicates: 1 },
      { counted: 1, duplicates: 1 },
      { counted: 0, duplicates: 1 },
    ]);
    expect(await rows('SELECT humans FROM click_days')).toEqual([{ humans: '3' }]);
    expect(await rows('SELECT count(*)::int AS rows FROM clicks')).toEqual([{ rows: 3 }]);
  });

  it('counts an event once also over the turn of the hour', async () => {
    const twice = click();
    const rollup = rollupWith();
    await rollup.count([twice]);
    const hourAgo = partitionAt('click_seen', Date.now() - 3_600_000);
    await new PartitionRepository(database.pool).ensure([hourAgo]);
    await database.pool.query("UPDATE click_seen SET hour = hour - interval '1 hour'");
    expect(await rollup.count([twice])).toEqual({ counted: 0, duplicates: 1 });
  });

  it('counts a visitor once a day and link, and bots never', async () => {
    const rollup = rollupWith();
    await rollup.count([
      click(),
      click(),
      click({ code: 'AbC1235' }),
      click({ ip: '203.0.113.10' }),
      click({ userAgent: GOOGLEBOT }),
      click({ at: `${day(1)}T23:00:00.000Z` }),
    ]);
    await rollup.count([click(), click({ ip: '203.0.113.11' })]);
    expect(
      await rows('SELECT code, day::text, uniques FROM click_days ORDER BY code, day'),
    ).toEqual([
      { code: 'AbC1234', day: day(1), uniques: '1' },
      { code: 'AbC1234', day: TODAY, uniques: '3' },
      { code: 'AbC1235', day: TODAY, uniques: '1' },
    ]);
  });

  it('tells visitors apart only while their day has a salt; the clicks count all the same', async () => {
    await rollupWith().count([click({ at: `${day(3)}T10:00:00.000Z` })]);
    expect(await rows('SELECT humans, uniques FROM click_days')).toEqual([
      { humans: '1', uniques: '0' },
    ]);
    expect(await rows('SELECT count(*)::int AS salts FROM click_salts')).toEqual([{ salts: 0 }]);
  });

  it('keeps nothing of visitors where that is not wanted', async () => {
    await rollupWith({ countsUniques: false }).count([click()]);
    expect(await rows('SELECT humans, uniques FROM click_days')).toEqual([
      { humans: '1', uniques: '0' },
    ]);
    expect(await rows('SELECT count(*)::int AS salts FROM click_salts')).toEqual([{ salts: 0 }]);
  });

  it.each([
    ['truncate', '203.0.113.0'],
    ['drop', null],
    ['raw', '203.0.113.9'],
  ] as const)('keeps single clicks with their addresses in mode %s', async (ipMode, ip) => {
    const id = randomUUID();
    await rollupWith({ ipMode }).count([
      click({ id, referrer: 'https://example.com/a "b"?q=secret#part' }),
    ]);
    expect(await rows('SELECT * FROM clicks')).toEqual([
      {
        time: new Date(`${TODAY}T13:10:30.000Z`),
        event_id: id,
        code: 'AbC1234',
        ip,
        country: 'DE',
        referrer: 'https://example.com/a "b"',
        user_agent: FIREFOX,
        is_bot: false,
      },
    ]);
  });

  it('keeps no single clicks where that is not wanted', async () => {
    await rollupWith({ rawRetentionDays: 0 }).count([click()]);
    expect(await rows('SELECT count(*)::int AS rows FROM clicks')).toEqual([{ rows: 0 }]);
    expect(await rows('SELECT humans FROM click_days')).toEqual([{ humans: '1' }]);
  });

  it('counts what comes late: by hour and day for ever, by minute and singly while those are kept', async () => {
    await rollupWith().count([
      click({ at: `${day(8)}T10:00:00.000Z` }),
      click({ at: `${day(100)}T10:00:00.000Z` }),
    ]);
    expect(await rows('SELECT count(*)::int AS rows FROM click_hours')).toEqual([{ rows: 2 }]);
    expect(await rows('SELECT count(*)::int AS rows FROM click_days')).toEqual([{ rows: 2 }]);
    expect(await rows('SELECT count(*)::int AS rows FROM click_minutes')).toEqual([{ rows: 0 }]);
    expect(await rows('SELECT count(*)::int AS rows FROM clicks')).toEqual([{ rows: 1 }]);
  });

  it('makes the partitions it needs, and makes them again when they are gone', async () => {
    const rollup = rollupWith();
    await rollup.count([click()]);
    await database.pool.query(
      `DROP TABLE click_partitions.click_minutes_${TODAY.replaceAll('-', '')}`,
    );
    await rollup.count([click()]);
    expect(await rows('SELECT humans FROM click_minutes')).toEqual([{ humans: '1' }]);
    expect(await rows('SELECT humans FROM click_days')).toEqual([{ humans: '2' }]);
  });

  it('takes any text for a referrer or a user agent', async () => {
    const userAgent = `{"a":'b'},\\NULL "${'\u{1F600}'}" ${String.fromCharCode(0xd800)} \u0001`;
    await rollupWith().count([click({ userAgent, referrer: `https://example.com/\\"'{},` })]);
    expect(await rows('SELECT referrer FROM clicks')).toEqual([
      { referrer: `https://example.com/\\"'{},` },
    ]);
  });

  it('moves its position with the counts, and counts nothing when another worker moved it', async () => {
    const rollup = rollupWith();
    const place = { cluster: 'c', topic: 't', partition: 3 };
    await rollup.count([click()], { ...place, expected: undefined, next: 10n });
    await rollup.count([click()], { ...place, expected: 10n, next: 20n });
    for (const expected of [undefined, 10n, 30n])
      await expect(rollup.count([click()], { ...place, expected, next: 40n })).rejects.toThrow(
        PositionMoved,
      );
    expect(await rows('SELECT next_offset FROM click_offsets')).toEqual([{ next_offset: '20' }]);
    expect(await rows('SELECT humans FROM click_days')).toEqual([{ humans: '2' }]);
    expect(await rows('SELECT count(*)::int AS rows FROM click_seen')).toEqual([{ rows: 2 }]);
  });

  it('counts all of a batch or nothing of it', async () => {
    const forbidden = "CHECK (code <> 'AbC1239')";
    await database.pool.query(`ALTER TABLE clicks ADD CONSTRAINT forbidden ${forbidden}`);
    const step = { cluster: 'c', topic: 't', partition: 0, expected: undefined, next: 5n };
    await expect(
      rollupWith().count([click(), click({ code: 'AbC1239' })], step),
    ).rejects.toMatchObject({ code: '23514' });
    for (const table of [
      'click_days',
      'click_hours',
      'click_seen',
      'click_offsets',
      'click_visitors',
    ])
      expect(await rows(`SELECT count(*)::int AS rows FROM ${table}`)).toEqual([{ rows: 0 }]);
    await database.pool.query('ALTER TABLE clicks DROP CONSTRAINT forbidden');
  });

  it('stays exact while many count the same links at the same time', async () => {
    const workers = Array.from({ length: 8 }, () => rollupWith());
    const codes = ['AbC1230', 'AbC1231', 'AbC1232', 'AbC1233'];
    await Promise.all(
      workers.map(async (worker, number) => {
        for (let round = 0; round < 10; round++)
          await worker.count(
            Array.from({ length: 40 }, (_, index) =>
              click({
                code: codes[(index * (number + 1)) % 4] as string,
                ip: `203.0.113.${index % 20}`,
              }),
            ),
          );
      }),
    );
    const [total] = await rows('SELECT sum(humans)::int AS humans FROM click_days');
    expect(total).toEqual({ humans: 8 * 10 * 40 });
    const [visitors] = await rows(
      'SELECT (SELECT sum(uniques)::int FROM click_days) AS uniques, (SELECT count(*)::int FROM click_visitors) AS visitors',
    );
    expect(visitors?.['uniques']).toBe(visitors?.['visitors']);
  });
});
