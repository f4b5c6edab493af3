import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { POOL } from '../app.tokens.ts';

/** Deletes what has expired, a bounded number of rows at a time; returns how many. Several processes may do it at once. */
@Injectable()
export class PurgeRepository {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async purgeRecords(limit: number): Promise<number> {
    // A minute of grace: verifiers allow clocks to differ, and a status list that names the token is dropped later still.
    const { rowCount } = await this.pool.query({
      name: 'purge-records',
      text: `DELETE FROM oidc_records WHERE (kind, id) IN (
        SELECT kind, id FROM oidc_records WHERE expires_at < now() - interval '60 seconds'
        ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      values: [limit],
    });
    return rowCount ?? 0;
  }

  async purgeStatusLists(limit: number): Promise<number> {
    const { rowCount } = await this.pool.query({
      name: 'purge-status-lists',
      text: `DELETE FROM status_lists WHERE id IN (SELECT id FROM status_lists WHERE drop_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      values: [limit],
    });
    return rowCount ?? 0;
  }

  async purgeSecrets(limit: number): Promise<number> {
    const { rowCount } = await this.pool.query({
      name: 'purge-secrets',
      text: `DELETE FROM client_secrets WHERE id IN (SELECT id FROM client_secrets WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      values: [limit],
    });
    return rowCount ?? 0;
  }
}
