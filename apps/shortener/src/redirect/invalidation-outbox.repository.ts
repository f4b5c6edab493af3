import type { Pool } from '@gatepost/postgres';

/** A change of a link that caches have to hear of. Written in the transaction of the change. */
export interface Invalidation {
  readonly id: string;
  readonly code: string;
  readonly version: number;
}

const BATCH = 500;

export class InvalidationOutboxRepository {
  constructor(private readonly pool: Pool) {}

  /** The oldest that were not delivered yet. Two nodes may get the same ones; delivering twice does no harm. */
  async findPending(): Promise<Invalidation[]> {
    const { rows } = await this.pool.query<Invalidation>({
      name: 'find-pending-invalidations',
      text: `SELECT id::text, code, version FROM link_invalidations ORDER BY id LIMIT ${BATCH}`,
    });
    return rows;
  }

  async countPending(): Promise<number> {
    const { rows } = await this.pool.query<{ pending: number }>(
      'SELECT count(*)::int AS pending FROM link_invalidations',
    );
    return rows[0]?.pending ?? 0;
  }

  async remove(delivered: readonly Invalidation[]): Promise<void> {
    await this.pool.query({
      name: 'remove-delivered-invalidations',
      text: 'DELETE FROM link_invalidations WHERE id = ANY($1::bigint[])',
      values: [delivered.map(({ id }) => id)],
    });
  }
}
