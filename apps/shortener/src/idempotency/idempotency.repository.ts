import { inTransaction, type Pool, type PoolClient } from '@gatepost/postgres';

export interface IdempotentRequest {
  readonly caller: string;
  readonly key: string;
  readonly fingerprint: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export type IdempotentOutcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'running' }
  | { readonly kind: 'other-request' };

/** How long an answer is kept. */
const KEPT = `interval '24 hours'`;

interface AnswerRow {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly body: string;
}

export class IdempotencyRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Does `work` at most once per caller and key. The answer is stored in the transaction of the work, so there is never one
   * without the other; the lock ends with the transaction, so a process that dies leaves nothing locked.
   */
  perform(
    request: IdempotentRequest,
    work: (transaction: PoolClient) => Promise<Answer>,
  ): Promise<IdempotentOutcome> {
    const { caller, key, fingerprint } = request;
    return inTransaction(this.pool, async (transaction) => {
      const lock = await transaction.query<{ locked: boolean }>({
        name: 'lock-idempotency-key',
        text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
        values: [`${caller}\n${key}`],
      });
      if (!lock.rows[0]?.locked) return { kind: 'running' };
      const { rows } = await transaction.query<AnswerRow>({
        name: 'find-idempotent-answer',
        text: `SELECT fingerprint, status, body FROM idempotent_answers
               WHERE caller = $1 AND key = $2 AND created_at > now() - ${KEPT}`,
        values: [caller, key],
      });
      const [before] = rows;
      if (before) {
        if (!before.fingerprint.equals(fingerprint)) return { kind: 'other-request' };
        return {
          kind: 'answered',
          answer: { status: before.status, body: JSON.parse(before.body) as unknown },
        };
      }
      const answer = await work(transaction);
      await transaction.query({
        name: 'store-idempotent-answer',
        text: `INSERT INTO idempotent_answers (caller, key, fingerprint, status, body) VALUES ($1, $2, $3, $4, $5)
               ON CONFLICT (caller, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
                 body = excluded.body, created_at = now()`,
        values: [caller, key, fingerprint, answer.status, JSON.stringify(answer.body)],
      });
      return { kind: 'answered', answer };
    });
  }

  /** Forgets answers that are no longer repeated, some at a time; returns how many. */
  async removeOld(limit: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM idempotent_answers WHERE (caller, key) IN
         (SELECT caller, key FROM idempotent_answers WHERE created_at <= now() - ${KEPT} LIMIT $1)`,
      [limit],
    );
    return rowCount ?? 0;
  }
}
