import { createHmac } from 'node:crypto';
import { type Pool, withRetry } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { ENV, POOL } from '../app.tokens.ts';
import type { AuthEnv } from '../env.ts';
import { ATTEMPT_MEMORY_MS, type AttemptRule, toRetryAfterSeconds } from './attempts.ts';
import { deriveSecrets } from './signing-secrets.ts';

/** One thing that attempts are counted for. `value` is not stored, only a keyed hash of it. */
export interface CountedSubject {
  readonly rule: AttemptRule;
  readonly value: string;
}

export type TakenAttempt =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/** Counts of wrong passwords, shared by all processes; time is the database's. */
@Injectable()
export class AttemptsRepository {
  private readonly secret: Buffer;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(ENV) env: AuthEnv,
  ) {
    this.secret = deriveSecrets(env.COOKIE_KEYS, 'attempt-counts')[0] as Buffer;
  }

  /**
   * Counts one attempt against all subjects or, when any of them has to wait, against none. Decided in the database, under
   * locks taken in one order: parallel attempts queue up there and none of them sees an old count. `at` is for specs.
   */
  async take(subjects: readonly CountedSubject[], at?: Date): Promise<TakenAttempt> {
    const keyed = subjects
      .map(({ rule, value }) => ({ rule, key: this.toKey(value) }))
      .sort((a, b) => Buffer.compare(a.key, b.key));
    const { rows } = await withRetry(() =>
      this.pool.query<{ wait_ms: number }>({
        name: 'attempt-take',
        text: 'SELECT auth_take_attempt($1, $2, $3, $4, $5, $6) AS wait_ms',
        values: [
          keyed.map(({ key }) => key),
          keyed.map(({ rule }) => rule.failuresAllowed),
          keyed.map(({ rule }) => rule.memoryMs),
          keyed.map(({ rule }) => rule.firstWaitMs),
          keyed.map(({ rule }) => rule.longestWaitMs),
          at ?? null,
        ],
      }),
    );
    const waitMs = rows[0]?.wait_ms ?? 0;
    if (waitMs === 0) return { allowed: true };
    return { allowed: false, retryAfterSeconds: toRetryAfterSeconds(waitMs) };
  }

  /** After a right password: the count of `own` starts anew, `address` has one failure less. */
  async settle(own: CountedSubject, address: CountedSubject | undefined): Promise<void> {
    await withRetry(() =>
      this.pool.query({
        name: 'attempt-settle',
        text: 'SELECT auth_settle_attempt($1, $2, $3)',
        values: [
          this.toKey(own.value),
          address ? this.toKey(address.value) : null,
          address?.rule.failuresAllowed ?? null,
        ],
      }),
    );
  }

  /** An attempt that was no wrong password: the count has one failure less. */
  async giveBack(subject: CountedSubject): Promise<void> {
    await this.pool.query({
      name: 'attempts-give-back',
      text: `UPDATE sign_in_attempts SET failures = GREATEST(failures - 1, 0),
          blocked_until = CASE WHEN failures - 1 < $2 THEN NULL ELSE blocked_until END
        WHERE subject = $1`,
      values: [this.toKey(subject.value), subject.rule.failuresAllowed],
    });
  }

  /** Deletes counts that every rule has forgotten, at most `limit`; returns how many. */
  async purge(limit: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM sign_in_attempts WHERE subject IN (
        SELECT subject FROM sign_in_attempts WHERE updated_at < now() - $1 * interval '1 millisecond'
        ORDER BY updated_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [ATTEMPT_MEMORY_MS, limit],
    );
    return rowCount ?? 0;
  }

  private toKey(value: string): Buffer {
    return createHmac('sha256', this.secret).update(value).digest();
  }
}
