import type { Pool } from '@gatepost/postgres';
import { Bulkhead } from './bulkhead.ts';
import type { CachedLink } from './cached-link.ts';

const FIND_LINK = {
  name: 'find-link-to-redirect',
  text: `SELECT long_url, expires_at, track_clicks, version, blocked_reason, scanned_at IS NOT NULL AS is_scanned
         FROM links WHERE code = $1`,
};

const FIND_ARCHIVED = {
  name: 'find-archived-code',
  text: 'SELECT 1 FROM link_archive WHERE code = $1',
};

interface LinkRow {
  readonly long_url: string;
  readonly expires_at: Date | null;
  readonly track_clicks: boolean;
  readonly version: number;
  readonly blocked_reason: string | null;
  readonly is_scanned: boolean;
}

/** The redirect's own way to the database. */
export class LinkLookupRepository {
  private readonly bulkhead: Bulkhead;

  constructor(private readonly pool: Pool) {
    this.bulkhead = new Bulkhead({ places: pool.options.max, maxWaiting: 1_000, maxWaitMs: 1_000 });
  }

  /** 'archived' tells a person that the link has expired rather than never been. */
  findLink(code: string): Promise<CachedLink | 'archived' | 'missing'> {
    return this.bulkhead.run(async () => {
      const { rows } = await this.pool.query<LinkRow>({ ...FIND_LINK, values: [code] });
      if (rows[0]) return toCachedLink(code, rows[0]);
      const archived = await this.pool.query({ ...FIND_ARCHIVED, values: [code] });
      return archived.rowCount === 0 ? 'missing' : 'archived';
    });
  }
}

function toCachedLink(code: string, row: LinkRow): CachedLink {
  return {
    code,
    longUrl: row.long_url,
    expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    trackClicks: row.track_clicks,
    version: row.version,
    blockedReason: row.blocked_reason ?? undefined,
    isScanned: row.is_scanned,
  };
}
