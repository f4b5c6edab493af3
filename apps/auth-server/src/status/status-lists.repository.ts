import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { POOL } from '../app.tokens.ts';
import { LIST_SIZE } from './permutation.ts';

/** A block of a list's ordinals that belongs to one process. */
export interface Lease {
  readonly listId: string;
  readonly seed: bigint;
  readonly from: number;
  readonly to: number;
  readonly closesAt: Date;
}

export interface ListState {
  readonly dropAt: Date;
  /** Grows with every bit set; a process that signed this count has signed the newest list. */
  readonly revoked: number;
}

/** Shards of the status list and their set bits. */
@Injectable()
export class StatusListsRepository {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Leases `count` ordinals of a list that is open and has room. */
  async lease(count: number, now: Date): Promise<Lease | undefined> {
    const { rows } = await this.pool.query<{
      id: string;
      seed: string;
      leased: number;
      closes_at: Date;
    }>({
      name: 'status-lease',
      text: `UPDATE status_lists SET leased = leased + $1
        WHERE id = (SELECT id FROM status_lists WHERE closes_at > $2 AND leased + $1 <= $3 ORDER BY opened_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id, seed, leased, closes_at`,
      values: [count, now, LIST_SIZE],
    });
    const [row] = rows;
    return (
      row && {
        listId: row.id,
        seed: BigInt(row.seed),
        from: row.leased - count,
        to: row.leased,
        closesAt: row.closes_at,
      }
    );
  }

  async open(list: {
    id: string;
    seed: bigint;
    openedAt: Date;
    closesAt: Date;
    dropAt: Date;
  }): Promise<void> {
    await this.pool.query(
      'INSERT INTO status_lists (id, seed, opened_at, closes_at, drop_at) VALUES ($1, $2, $3, $4, $5)',
      [list.id, list.seed.toString(), list.openedAt, list.closesAt, list.dropAt],
    );
  }

  async stateOf(listId: string): Promise<ListState | undefined> {
    const { rows } = await this.pool.query<{ drop_at: Date; revoked: number }>({
      name: 'status-state',
      text: `SELECT drop_at, (SELECT count(*)::integer FROM status_revocations r WHERE r.list_id = l.id) AS revoked
        FROM status_lists l WHERE l.id = $1`,
      values: [listId],
    });
    const [row] = rows;
    return row && { dropAt: row.drop_at, revoked: row.revoked };
  }

  async positionsOf(listId: string): Promise<number[]> {
    const { rows } = await this.pool.query<{ position: number }>({
      name: 'status-positions',
      text: 'SELECT position FROM status_revocations WHERE list_id = $1',
      values: [listId],
    });
    return rows.map(({ position }) => position);
  }

  /** Removes lists that no living token points to. */
  async drop(now: Date): Promise<number> {
    const { rowCount } = await this.pool.query('DELETE FROM status_lists WHERE drop_at < $1', [
      now,
    ]);
    return rowCount ?? 0;
  }
}
