import type { Pool, PoolClient } from '@gatepost/postgres';
import type { Invalidation } from '../redirect/invalidation-outbox.repository.ts';
import type { Link, LinkChange } from './link.ts';

/** Where a statement runs: on any connection, or within the transaction of one. */
export type Executor = Pool | PoolClient;

export type NewLink = Pick<
  Link,
  'code' | 'longUrl' | 'owner' | 'createdAt' | 'expiresAt' | 'trackClicks'
>;

/**
 * Registers codes and stores their links in one statement. A code that was ever given out is left alone by ON CONFLICT and
 * then has no row to select from; of any number of racing creates the first to insert wins and the others see none.
 * Sorted, so that two lists with common aliases wait for each other in one direction.
 */
const INSERT_LINKS = {
  name: 'insert-links',
  text: `
WITH wanted AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::boolean[])
    AS wanted (code, long_url, owner, created_at, expires_at, track_clicks)
), registered AS (
  INSERT INTO link_codes (code) SELECT code FROM wanted ORDER BY code ON CONFLICT DO NOTHING RETURNING code
)
INSERT INTO links (code, long_url, owner, created_at, expires_at, track_clicks)
SELECT wanted.* FROM wanted JOIN registered USING (code)
RETURNING code`,
};

const INSERT_LINK = {
  name: 'insert-link',
  text: `
WITH registered AS (
  INSERT INTO link_codes (code) VALUES ($1) ON CONFLICT DO NOTHING RETURNING code
)
INSERT INTO links (code, long_url, owner, created_at, expires_at, track_clicks)
SELECT code, $2, $3, $4::timestamptz, $5::timestamptz, $6 FROM registered
RETURNING code`,
};

/** A new destination is a new question to the scan, so the old verdict goes with the old destination. */
const CHANGE_LINK = {
  name: 'change-link',
  text: `
WITH changed AS (
  UPDATE links SET
    long_url = coalesce($3, long_url),
    expires_at = CASE WHEN $4 THEN $5::timestamptz ELSE expires_at END,
    track_clicks = coalesce($6, track_clicks),
    version = version + 1,
    blocked_reason = CASE WHEN $3 IS NULL OR $3 = long_url THEN blocked_reason END,
    blocked_at = CASE WHEN $3 IS NULL OR $3 = long_url THEN blocked_at END,
    scanned_at = CASE WHEN $3 IS NULL OR $3 = long_url THEN scanned_at END,
    scan_after = CASE WHEN $3 IS NULL OR $3 = long_url THEN scan_after END
  WHERE code = $1 AND owner = $2 AND (expires_at IS NULL OR expires_at > $7::timestamptz)
  RETURNING *
), outbox AS (
  INSERT INTO link_invalidations (code, version) SELECT code, version FROM changed RETURNING id
)
SELECT changed.*, outbox.id::text AS invalidation FROM changed, outbox`,
};

/** The code stays in link_codes: that is what keeps it from ever being given out again. */
const REMOVE_LINK = {
  name: 'remove-link',
  text: `
WITH removed AS (
  DELETE FROM links WHERE code = $1 AND owner = $2 RETURNING code, version
), removed_archived AS (
  DELETE FROM link_archive WHERE code = $1 AND owner = $2 RETURNING code, version
)
INSERT INTO link_invalidations (code, version)
SELECT code, version + 1 FROM removed UNION SELECT code, version + 1 FROM removed_archived
RETURNING id::text, code, version`,
};

interface LinkRow {
  readonly code: string;
  readonly long_url: string;
  readonly owner: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly track_clicks: boolean;
  readonly version: number;
  readonly blocked_reason: string | null;
}

/** Every way in which a link changes, each one statement. */
export class LinkRepository {
  constructor(private readonly pool: Pool) {}

  /** False when the code is taken, now or by a link of the past. */
  async insertLink(link: NewLink, on: Executor = this.pool): Promise<boolean> {
    const { rowCount } = await on.query({
      ...INSERT_LINK,
      values: [
        link.code,
        link.longUrl,
        link.owner ?? null,
        link.createdAt,
        link.expiresAt ?? null,
        link.trackClicks,
      ],
    });
    return rowCount === 1;
  }

  /** Codes must differ from each other. Returns those that were free. */
  async insertLinks(links: readonly NewLink[], on: Executor = this.pool): Promise<Set<string>> {
    const { rows } = await on.query<{ code: string }>({
      ...INSERT_LINKS,
      values: [
        links.map(({ code }) => code),
        links.map(({ longUrl }) => longUrl),
        links.map(({ owner }) => owner ?? null),
        links.map(({ createdAt }) => createdAt),
        links.map(({ expiresAt }) => expiresAt ?? null),
        links.map(({ trackClicks }) => trackClicks),
      ],
    });
    return new Set(rows.map(({ code }) => code));
  }

  /** Undefined when the owner has no such link, or it has expired by `now`. */
  async changeLink(
    code: string,
    owner: string,
    change: LinkChange,
    now: Date,
  ): Promise<{ link: Link; invalidation: Invalidation } | undefined> {
    const { rows } = await this.pool.query<LinkRow & { invalidation: string }>({
      ...CHANGE_LINK,
      values: [
        code,
        owner,
        change.longUrl ?? null,
        change.expiresAt !== undefined,
        change.expiresAt ?? null,
        change.trackClicks ?? null,
        now,
      ],
    });
    const [row] = rows;
    if (!row) return undefined;
    const invalidation = { id: row.invalidation, code, version: row.version };
    return { link: toLink(row), invalidation };
  }

  /** Undefined when the owner has no such link. */
  async removeLink(code: string, owner: string): Promise<Invalidation | undefined> {
    const { rows } = await this.pool.query<Invalidation>({
      ...REMOVE_LINK,
      values: [code, owner],
    });
    return rows[0];
  }
}

function toLink(row: LinkRow): Link {
  return {
    code: row.code,
    longUrl: row.long_url,
    owner: row.owner ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    trackClicks: row.track_clicks,
    version: row.version,
    blockedReason: row.blocked_reason ?? undefined,
    archivedAt: undefined,
  };
}
