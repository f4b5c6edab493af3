import { type Pool, withRetry } from '@gatepost/postgres';

/**
 * One statement moves a batch: what another run holds is skipped, what is changed meanwhile is judged anew. The registry
 * of codes is not touched, that is why none is ever given out again.
 */
const ARCHIVE_EXPIRED = `
WITH due AS (
  SELECT code FROM links WHERE expires_at <= $1::timestamptz ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
), moved AS (
  DELETE FROM links USING due WHERE links.code = due.code RETURNING links.*
)
INSERT INTO link_archive (code, long_url, owner, created_at, expires_at, track_clicks, version,
  blocked_reason, blocked_at, scanned_at, archived_at)
SELECT code, long_url, owner, created_at, expires_at, track_clicks, version,
  blocked_reason, blocked_at, scanned_at, $1::timestamptz
FROM moved`;

export class ArchiveRepository {
  constructor(private readonly pool: Pool) {}

  /** Archives some of the links that expired before `now`; returns how many, 0 when none is left. */
  async archiveExpired(now: Date, limit: number): Promise<number> {
    const { rowCount } = await withRetry(() => this.pool.query(ARCHIVE_EXPIRED, [now, limit]));
    return rowCount ?? 0;
  }
}
