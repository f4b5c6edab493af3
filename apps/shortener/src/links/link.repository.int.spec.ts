import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { MIGRATIONS } from '../migrate.ts';
import { LinkRepository, type NewLink } from './link.repository.ts';

describeWith(['postgres'], 'LinkRepository on Postgres', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;
  let links: LinkRepository;
  const now = new Date('2026-11-20T12:00:00.123Z');

  beforeAll(async () => {
    database = await createTestDatabase();
    await migrate({ url: database.url, folder: MIGRATIONS });
    pool = openPool({ url: database.url, applicationName: 'spec', maxConnections: 20 });
    links = new LinkRepository(pool);
  });

  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  function newLink(code: string, changed: Partial<NewLink> = {}): NewLink {
    return {
      code,
      longUrl: 'https://example.org/',
      owner: 'user:1',
      createdAt: now,
      expiresAt: undefined,
      trackClicks: true,
      ...changed,
    };
  }

  const codesIn = async (table: string, code: string) =>
    (await pool.query(`SELECT 1 FROM ${table} WHERE code = $1`, [code])).rowCount;

  it('stores a link with its code registered, and gives a code to one only', async () => {
    expect(await links.insertLink(newLink('create1'))).toBe(true);
    expect(await links.insertLink(newLink('create1', { owner: 'user:2' }))).toBe(false);
    const { rows } = await pool.query(`SELECT * FROM links WHERE code = 'create1'`);
    expect(rows).toMatchObject([
      { owner: 'user:1', created_at: now, version: 1, scanned_at: null, blocked_reason: null },
    ]);
  });

  it('takes codes that differ in case for different ones', async () => {
    expect(await links.insertLink(newLink('CaseOne'))).toBe(true);
    expect(await links.insertLink(newLink('caseone'))).toBe(true);
  });

  it('lets exactly one of 50 racing creates of an alias win', async () => {
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, racer) =>
          links.insertLink(newLink(`race00${round}`, { owner: `user:${racer}` })),
        ),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    }
  });

  it('stores many at once, and says which codes were free', async () => {
    await links.insertLink(newLink('bulk001'));
    const wanted = ['bulk003', 'bulk001', 'bulk002'].map((code) =>
      newLink(code, { expiresAt: code === 'bulk002' ? new Date('2030-01-01') : undefined }),
    );
    expect(await links.insertLinks(wanted)).toEqual(new Set(['bulk002', 'bulk003']));
    const { rows } = await pool.query(
      `SELECT code, expires_at FROM links WHERE code LIKE 'bulk00_' ORDER BY code`,
    );
    expect(rows).toEqual([
      { code: 'bulk001', expires_at: null },
      { code: 'bulk002', expires_at: new Date('2030-01-01') },
      { code: 'bulk003', expires_at: null },
    ]);
  });

  it('does not deadlock when lists of the same codes come in opposite orders', async () => {
    const codes = Array.from(
      { length: 100 },
      (_, index) => `dead${String(index).padStart(3, '0')}`,
    );
    const lists = Array.from({ length: 10 }, (_, racer) =>
      (racer % 2 ? codes : codes.toReversed()).map((code) => newLink(code)),
    );
    const outcomes = await Promise.all(lists.map((list) => links.insertLinks(list)));
    expect(outcomes.reduce((sum, { size }) => sum + size, 0)).toBe(100);
  });

  describe('the registry of codes', () => {
    it.each([
      [`DELETE FROM link_codes WHERE code = 'create1'`],
      [`UPDATE link_codes SET code = 'create2' WHERE code = 'create1'`],
      ['TRUNCATE link_codes CASCADE'],
      [`SET session_replication_role = replica; DELETE FROM link_codes WHERE code = 'create1'`],
    ])('refuses %s', async (statement) => {
      const client = await pool.connect();
      await expect(client.query(statement)).rejects.toThrow('link_codes is insert-only');
      client.release(true);
      expect(await codesIn('link_codes', 'create1')).toBe(1);
    });

    it('refuses what is no code', async () => {
      for (const code of ['short', 'ninechars', 'has-dash', 'ümlaut1'])
        await expect(links.insertLink(newLink(code))).rejects.toThrow('link_codes_shape');
    });

    it('keeps the code of a deleted link taken', async () => {
      await links.insertLink(newLink('delete1'));
      const removed = await links.removeLink('delete1', 'user:1');
      expect(removed).toMatchObject({ code: 'delete1', version: 2 });
      expect(await codesIn('links', 'delete1')).toBe(0);
      expect(await links.insertLink(newLink('delete1'))).toBe(false);
    });

    it('keeps the code of an archived link taken, also once that is deleted', async () => {
      await links.insertLink(newLink('archiv1'));
      await pool.query(`
        WITH moved AS (DELETE FROM links WHERE code = 'archiv1' RETURNING *)
        INSERT INTO link_archive (code, long_url, owner, created_at, expires_at, track_clicks, version)
        SELECT code, long_url, owner, created_at, expires_at, track_clicks, version FROM moved`);
      expect(await links.insertLink(newLink('archiv1'))).toBe(false);
      expect(await links.removeLink('archiv1', 'user:1')).toMatchObject({ code: 'archiv1' });
      expect(await codesIn('link_archive', 'archiv1')).toBe(0);
      expect(await links.insertLink(newLink('archiv1'))).toBe(false);
    });
  });

  describe('changeLink', () => {
    const change = { longUrl: undefined, expiresAt: undefined, trackClicks: undefined };

    it('changes what is named, raises the version and puts the invalidation in the outbox', async () => {
      await links.insertLink(newLink('change1', { expiresAt: new Date('2030-01-01') }));
      const changed = await links.changeLink(
        'change1',
        'user:1',
        { ...change, trackClicks: false },
        now,
      );
      expect(changed?.link).toMatchObject({
        longUrl: 'https://example.org/',
        expiresAt: new Date('2030-01-01'),
        trackClicks: false,
        version: 2,
      });
      const { rows } = await pool.query(
        'SELECT code, version FROM link_invalidations WHERE id = $1',
        [changed?.invalidation.id],
      );
      expect(rows).toEqual([{ code: 'change1', version: 2 }]);
      const never = await links.changeLink(
        'change1',
        'user:1',
        { ...change, expiresAt: null },
        now,
      );
      expect(never?.link.expiresAt).toBeUndefined();
    });

    it('forgets the verdict on the old destination with the old destination, not otherwise', async () => {
      await links.insertLink(newLink('change2'));
      await pool.query(
        `UPDATE links SET blocked_reason = 'bad', blocked_at = now(), scanned_at = now() WHERE code = 'change2'`,
      );
      const same = { ...change, longUrl: 'https://example.org/', trackClicks: false };
      const kept = await links.changeLink('change2', 'user:1', same, now);
      expect(kept?.link.blockedReason).toBe('bad');
      const other = { ...change, longUrl: 'https://example.org/other' };
      const fresh = await links.changeLink('change2', 'user:1', other, now);
      expect(fresh?.link.blockedReason).toBeUndefined();
      const { rows } = await pool.query(`SELECT scanned_at FROM links WHERE code = 'change2'`);
      expect(rows).toEqual([{ scanned_at: null }]);
    });

    it('is blind to links of others and to expired ones', async () => {
      await links.insertLink(newLink('change3', { expiresAt: now }));
      const revive = { ...change, expiresAt: new Date('2040-01-01') };
      expect(await links.changeLink('change3', 'user:1', revive, now)).toBeUndefined();
      expect(await links.changeLink('change1', 'user:2', revive, now)).toBeUndefined();
      expect(await links.changeLink('absent1', 'user:1', revive, now)).toBeUndefined();
      expect(await links.removeLink('change1', 'user:2')).toBeUndefined();
    });
  });
});
