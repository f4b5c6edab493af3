import type { Pool } from '@gatepost/postgres';
import type { Invalidation } from '../redirect/invalidation-outbox.repository.ts';

/** What the scan writes. Every statement names the version it judged: a link edited meanwhile has another destination. */
export class ScanRepository {
  constructor(private readonly pool: Pool) {}

  /** True for one node: the others leave the link alone for `seconds`, in which the scan ends or is given up. */
  async claim(code: string, version: number, seconds: number): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'claim-scan',
      text: `UPDATE links SET scan_after = now() + make_interval(secs => $3)
             WHERE code = $1 AND version = $2 AND scanned_at IS NULL AND (scan_after IS NULL OR scan_after <= now())`,
      values: [code, version, seconds],
    });
    return rowCount === 1;
  }

  async markClean(code: string, version: number): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'mark-scanned',
      text: 'UPDATE links SET scanned_at = now() WHERE code = $1 AND version = $2',
      values: [code, version],
    });
    return rowCount === 1;
  }

  /** Undefined when the link was edited or deleted meanwhile. */
  async block(code: string, version: number, reason: string): Promise<Invalidation | undefined> {
    const { rows } = await this.pool.query<Invalidation>({
      name: 'block-link',
      text: `
        WITH blocked AS (
          UPDATE links SET blocked_reason = $3, blocked_at = now(), scanned_at = now(), version = version + 1
          WHERE code = $1 AND version = $2
          RETURNING code, version
        )
        INSERT INTO link_invalidations (code, version) SELECT code, version FROM blocked
        RETURNING id::text, code, version`,
      values: [code, version, reason],
    });
    return rows[0];
  }
}
