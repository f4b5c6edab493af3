import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { MIGRATIONS } from '../migrate.ts';
import { PrismaService } from '../prisma.service.ts';
import { LinkRepository } from './link.repository.ts';
import { OwnedLinkRepository } from './owned-link.repository.ts';
import type { PagePosition } from './page-position.ts';

describeWith(['postgres'], 'OwnedLinkRepository on Postgres', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;
  let owned: OwnedLinkRepository;
  const owner = 'user:1';
  const start = Date.parse('2026-01-01T00:00:00.000Z');

  beforeAll(async () => {
    database = await createTestDatabase();
    await migrate({ url: database.url, folder: MIGRATIONS });
    pool = openPool({ url: database.url, applicationName: 'spec' });
    owned = new OwnedLinkRepository(new PrismaService(pool));
    const links = new LinkRepository(pool);
    const linkAt = (code: string, minute: number, of = owner) => ({
      code,
      longUrl: `https://example.org/Path_${minute}%/${code}`,
      owner: of,
      // Seven share each minute, so that pages end in the middle of one.
      createdAt: new Date(start + minute * 60_000),
      expiresAt: undefined,
      trackClicks: true,
    });
    await links.insertLinks(
      Array.from({ length: 70 }, (_, index) =>
        linkAt(`page${String(index).padStart(3, '0')}`, Math.floor(index / 7)),
      ),
    );
    await links.insertLinks([linkAt('other01', 5, 'user:2')]);
    await pool.query(`
      WITH moved AS (DELETE FROM links WHERE code ~ '^page0[0-6][05]$' RETURNING *)
      INSERT INTO link_archive (code, long_url, owner, created_at, expires_at, track_clicks, version)
      SELECT code, long_url, owner, created_at, expires_at, track_clicks, version FROM moved`);
  });

  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  async function allPages(limit: number, search?: string): Promise<string[]> {
    const codes: string[] = [];
    let after: PagePosition | undefined;
    for (;;) {
      const page = await owned.findPage({ owner, after, limit, search });
      codes.push(...page.map(({ code }) => code));
      after = page.at(-1);
      if (page.length < limit) return codes;
    }
  }

  it.each([1, 7, 10, 25, 100])('pages of %i show every link once, newest first', async (limit) => {
    const expected = Array.from(
      { length: 70 },
      (_, index) => `page${String(index).padStart(3, '0')}`,
    );
    expect(await allPages(limit)).toEqual(expected.reverse());
  });

  it('says which links are archived', async () => {
    const page = await owned.findPage({ owner, after: undefined, limit: 100, search: undefined });
    expect(page.filter(({ archivedAt }) => archivedAt).map(({ code }) => code)).toHaveLength(14);
    expect((await owned.findLink('page000', owner))?.archivedAt).toBeInstanceOf(Date);
    expect((await owned.findLink('page001', owner))?.archivedAt).toBeUndefined();
  });

  it('finds text in code and destination, whatever the case, wildcards being themselves', async () => {
    expect(await allPages(3, 'PAGE00')).toHaveLength(10);
    expect(await allPages(3, 'path_3%/')).toHaveLength(7);
    expect(await allPages(3, '_')).toHaveLength(70);
    expect(await allPages(3, 'p%e')).toHaveLength(0);
    expect(await allPages(3, '\\')).toHaveLength(0);
  });

  it('is blind to links of others', async () => {
    expect(await owned.findLink('other01', owner)).toBeUndefined();
    expect(await allPages(100, 'other')).toEqual([]);
  });

  it('reads a page far down as fast as the first', async () => {
    await pool.query(`
      WITH codes AS (
        INSERT INTO link_codes SELECT 'k' || lpad(n::text, 6, '0') FROM generate_series(1, 60000) n RETURNING code
      )
      INSERT INTO links (code, long_url, owner, created_at)
      SELECT code, 'https://example.org/', 'user:3', timestamptz '2026-01-01' + substr(code, 2)::int * interval '1 second' FROM codes`);
    await pool.query('ANALYZE links');
    const after = { createdAt: new Date(start + 10_000 * 1_000), code: 'k010000' };
    const request = { owner: 'user:3', after, limit: 25, search: undefined };
    await owned.findPage(request);
    const { rows } = await pool.query(`
      EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM links
      WHERE owner = 'user:3' AND created_at <= '2026-01-01T02:46:40Z'
        AND (created_at < '2026-01-01T02:46:40Z' OR (created_at = '2026-01-01T02:46:40Z' AND code < 'k010000'))
      ORDER BY created_at DESC, code DESC LIMIT 25`);
    const plan = JSON.stringify(rows[0]['QUERY PLAN']);
    expect(plan).toContain('links_by_owner');
    expect(plan).not.toContain('"Node Type":"Sort"');
    const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, rows]) =>
      Number(rows),
    );
    expect(Math.max(0, ...removed)).toBeLessThan(5);
    const page = await owned.findPage(request);
    expect(page.map(({ code }) => code).slice(0, 2)).toEqual(['k009999', 'k009998']);
  });
});
