import { inTransaction, type Pool, withRetry } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { notePlace, placeParameters, type SessionPlace } from '../accounts/access.repository.ts';
import {
  consentParameters,
  type GivenConsent,
  rememberConsent,
} from '../accounts/consent-record.ts';
import { POOL } from '../app.tokens.ts';
import { GroupCommit } from './group-commit.ts';
import { hashId, type Payload, type RecordRow } from './record.ts';
import { keyOf } from './record-reads.repository.ts';
import type { NewToken, Redeemed } from './request-work.ts';

/** A redemption that is to be decided, among others of the same moment. */
interface Redemption {
  readonly redeemed: Redeemed;
  readonly grantId: string;
  readonly tokens: readonly NewToken[];
}

/** A row as it travels to the database in JSON. */
interface RowJson {
  readonly kind: string;
  readonly id: string;
  readonly payload: Payload;
  readonly grant_id: string | undefined;
  readonly account_id: string | undefined;
  readonly client_id: string | undefined;
  readonly uid: string | undefined;
  readonly user_code: string | undefined;
  readonly expires_at: string;
  readonly list: string | undefined;
  readonly position: number | undefined;
}

const ROW_COLUMNS = `(n integer, kind text, id text, payload jsonb, grant_id text, account_id text, client_id text, uid text, user_code text,
  expires_at timestamptz, list text, position integer)`;

const INSERT = `INSERT INTO oidc_records (kind, id, payload, grant_id, account_id, client_id, uid, user_code, expires_at, status_list_id, status_index)
  SELECT t.kind, decode(t.id, 'hex'), t.payload, t.grant_id, t.account_id, t.client_id, t.uid, decode(t.user_code, 'hex'), t.expires_at, t.list, t.position`;

/** What was consumed stays consumed, whatever is written over it. */
const OVER = `ON CONFLICT (kind, id) DO UPDATE SET payload = EXCLUDED.payload, grant_id = EXCLUDED.grant_id,
  account_id = EXCLUDED.account_id, client_id = EXCLUDED.client_id, expires_at = EXCLUDED.expires_at`;

const toText = (rows: readonly RecordRow[]) =>
  JSON.stringify(rows.map((row) => toJson({ row, status: undefined })));

/** Sets the bits of deleted access tokens. A list that was dropped has only expired tokens: nothing to say about them. */
const REVOKE_GONE = `INSERT INTO status_revocations (list_id, position)
  SELECT gone.status_list_id, gone.status_index FROM gone JOIN status_lists ON status_lists.id = gone.status_list_id
  ON CONFLICT DO NOTHING`;

const writeStatement = (
  noted = '',
) => `WITH gone AS (DELETE FROM oidc_records USING unnest($2::text[]) AS key
    WHERE kind = split_part(key, ' ', 1) AND id = decode(split_part(key, ' ', 2), 'hex')
    RETURNING status_list_id, status_index),
  revoked AS (${REVOKE_GONE}),${noted}
  alive AS MATERIALIZED (SELECT id FROM oidc_records WHERE kind = 'Grant' AND id = ANY($3) FOR KEY SHARE)
  -- The count makes the insert wait for the delete: a session's uid moves from its old id to its new one.
  ${INSERT} FROM json_to_recordset($1::json) AS t${ROW_COLUMNS}, (SELECT count(*) FROM gone) deleted
  WHERE t.kind <> 'AuthorizationCode' OR sha256(convert_to(t.grant_id, 'UTF8')) IN (SELECT id FROM alive)
    OR t.grant_id IN (SELECT w.grant_id FROM json_to_recordset($1::json) AS w(kind text, grant_id text) WHERE w.kind = 'Grant')
  ${OVER}`;

const WRITE = writeStatement();

/** As `WRITE`, where a session begins: it is noted where. */
const WRITE_BEGIN = writeStatement(` noted AS (${notePlace(4)}),`);

const STANDING = `standing AS MATERIALIZED (SELECT FROM oidc_records WHERE kind = 'Interaction' AND id = $2 FOR UPDATE)`;

const insertWhile = (condition: string) =>
  `${INSERT} FROM json_to_recordset($1::json) AS t${ROW_COLUMNS} WHERE EXISTS (SELECT FROM ${condition}) ${OVER}`;

const WRITE_INTERACTION = `WITH ${STANDING} ${insertWhile('standing')}`;

const WRITE_CONSENT = `WITH ${STANDING},
  remembered AS (${rememberConsent(3, 'EXISTS (SELECT FROM standing)')}) ${insertWhile('remembered')}`;

/**
 * The statements that change the protocol store, one round trip each, prepared once a connection. The ones that must not race are
 * here and nowhere else: `redeem` and `consume` are compare-and-sets; `redeem`, `write` and `revokeGrant` lock the grant first.
 */
@Injectable()
export class RecordsRepository {
  private readonly tokens: GroupCommit<RowJson>;
  private readonly redemptions: GroupCommit<Redemption, boolean>;

  constructor(@Inject(POOL) private readonly pool: Pool) {
    this.tokens = new GroupCommit((rows) => this.insertTokens(rows));
    this.redemptions = new GroupCommit((group) => withRetry(() => this.redeemAll(group)));
  }

  /** Writes rows over what is there, after deleting; `deletions` are keys. A code is written only while its grant lives. */
  async write(
    rows: readonly RecordRow[],
    deletions: readonly string[] = [],
    place?: SessionPlace,
  ): Promise<void> {
    const written = new Set(rows.map((row) => keyOf(row.kind, row.id)));
    const grants = rows
      .filter((row) => row.kind === 'AuthorizationCode' && row.grantId)
      .map((row) => hashId(row.grantId as string));
    const values = [toText(rows), deletions.filter((key) => !written.has(key)), grants];
    await withRetry(() =>
      this.pool.query(
        place
          ? {
              name: 'record-write-begin',
              text: WRITE_BEGIN,
              values: [...values, ...placeParameters(place)],
            }
          : { name: 'record-write', text: WRITE, values },
      ),
    );
  }

  /**
   * Writes over an interaction, and what goes with it, as long as it is there; false, and nothing is written, when it has ended
   * meanwhile or whose consent it is has gone.
   */
  async writeInteraction(rows: readonly RecordRow[], consent?: GivenConsent): Promise<boolean> {
    const values = [toText(rows), rows.find(({ kind }) => kind === 'Interaction')?.id];
    const { rowCount } = await withRetry(() =>
      this.pool.query(
        consent
          ? {
              name: 'record-write-consent',
              text: WRITE_CONSENT,
              values: [...values, ...consentParameters(consent)],
            }
          : { name: 'record-write-interaction', text: WRITE_INTERACTION, values },
      ),
    );
    return rowCount !== 0;
  }

  /** Writes unless it is there already; false when it is. */
  async insertOnce(row: RecordRow): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'record-insert-once',
      text: `${INSERT} FROM json_to_recordset($1::json) AS t${ROW_COLUMNS} ON CONFLICT (kind, id) DO NOTHING`,
      values: [JSON.stringify([toJson({ row, status: undefined })])],
    });
    return rowCount === 1;
  }

  /** Writes an access token that came of no grant: a client's own. */
  async insertAccessToken(token: NewToken): Promise<void> {
    await this.tokens.add(toJson(token));
  }

  /**
   * Uses up what is redeemed and writes its tokens, all or nothing: false when it was used before or its grant or itself was revoked
   * meanwhile. The grant is locked first, as a revocation does, so neither can slip past the other; of ten requests with one code
   * one finds it unused.
   */
  redeem(redemption: Redemption): Promise<boolean> {
    return this.redemptions.add(redemption);
  }

  /** Marks as used; false when another request was first. */
  async consume(kind: string, id: Buffer): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'record-consume',
      text: `UPDATE oidc_records SET consumed_at = now() WHERE kind = $1 AND id = $2 AND consumed_at IS NULL`,
      values: [kind, id],
    });
    return rowCount === 1;
  }

  /** Keeps what a used refresh token led to, in its own row. */
  async keepSuccessor(id: Buffer, sealed: string): Promise<void> {
    await this.pool.query({
      name: 'record-successor',
      text: `UPDATE oidc_records SET payload = payload || jsonb_build_object('successor', $2::text) WHERE kind = 'RefreshToken' AND id = $1`,
      values: [id, sealed],
    });
  }

  /** Deletes; an access token that is published somewhere has its status set. */
  async destroy(kind: string, id: Buffer): Promise<void> {
    await this.pool.query({
      name: 'record-destroy',
      text: `WITH gone AS (DELETE FROM oidc_records WHERE kind = $1 AND id = $2 RETURNING status_list_id, status_index) ${REVOKE_GONE}`,
      values: [kind, id],
    });
  }

  /** Ends everything that came of a grant: codes, refresh tokens, access tokens. The grant itself stays. */
  async revokeGrant(grantIdHash: Buffer, grantId: string): Promise<void> {
    await withRetry(() =>
      inTransaction(this.pool, async (client) => {
        // A statement of its own: the delete after it sees what requests that held the grant have written.
        await client.query(
          `SELECT 1 FROM oidc_records WHERE kind = 'Grant' AND id = $1 FOR UPDATE`,
          [grantIdHash],
        );
        await client.query(
          `WITH gone AS (DELETE FROM oidc_records WHERE grant_id = $1 AND kind <> 'Grant' RETURNING status_list_id, status_index) ${REVOKE_GONE}`,
          [grantId],
        );
      }),
    );
  }

  /** Ends the tokens that a client got for itself. */
  async revokeClient(clientId: string): Promise<void> {
    await this.pool.query(
      `WITH gone AS (DELETE FROM oidc_records WHERE client_id = $1 AND kind = 'ClientCredentials' RETURNING status_list_id, status_index) ${REVOKE_GONE}`,
      [clientId],
    );
  }

  async grantsOfClient(clientId: string): Promise<string[]> {
    const { rows } = await this.pool.query<{ grant_id: string }>(
      `SELECT grant_id FROM oidc_records WHERE client_id = $1 AND kind = 'Grant'`,
      [clientId],
    );
    return rows.map((row) => row.grant_id);
  }

  private async insertTokens(rows: readonly RowJson[]): Promise<void> {
    await this.pool.query({
      name: 'record-insert-tokens',
      text: `${INSERT} FROM json_to_recordset($1::json) AS t${ROW_COLUMNS}`,
      values: [JSON.stringify(rows)],
    });
  }

  /** Which of the redemptions succeeded. Grants are locked in one order, so that two groups do not wait for each other. */
  private async redeemAll(group: readonly Redemption[]): Promise<boolean[]> {
    const { rows } = await this.pool.query<{ won: number[] }>({
      name: 'record-redeem',
      text: `WITH asked AS MATERIALIZED (
          SELECT n, kind, decode(id, 'hex') AS id, keep, decode(granted, 'hex') AS granted
          FROM json_to_recordset($1::json) AS a(n integer, kind text, id text, keep timestamptz, granted text)),
        alive AS MATERIALIZED (SELECT id FROM oidc_records WHERE kind = 'Grant' AND id IN (SELECT granted FROM asked) ORDER BY id FOR KEY SHARE),
        used AS (UPDATE oidc_records r SET consumed_at = now(), expires_at = GREATEST(r.expires_at, asked.keep)
          FROM asked JOIN alive ON alive.id = asked.granted
          WHERE r.kind = asked.kind AND r.id = asked.id AND r.consumed_at IS NULL RETURNING asked.n),
        issued AS (${INSERT} FROM json_to_recordset($2::json) AS t${ROW_COLUMNS} JOIN used ON used.n = t.n)
        SELECT coalesce(json_agg(n), '[]') AS won FROM used`,
      values: [
        JSON.stringify(
          group.map(({ redeemed, grantId }, n) => ({
            n,
            kind: redeemed.kind,
            id: redeemed.id.toString('hex'),
            keep: redeemed.keepUntil.toISOString(),
            granted: hashId(grantId).toString('hex'),
          })),
        ),
        JSON.stringify(
          group.flatMap(({ tokens }, n) => tokens.map((token) => ({ n, ...toJson(token) }))),
        ),
      ],
    });
    const won = new Set(rows[0]?.won);
    return group.map((_, n) => won.has(n));
  }
}

/** Absent members are read as NULL and need not travel. */
function toJson({ row, status }: NewToken): RowJson {
  return {
    kind: row.kind,
    id: row.id.toString('hex'),
    payload: row.payload,
    grant_id: row.grantId ?? undefined,
    account_id: row.accountId ?? undefined,
    client_id: row.clientId ?? undefined,
    uid: row.uid ?? undefined,
    user_code: row.userCode?.toString('hex'),
    expires_at: row.expiresAt.toISOString(),
    list: status?.listId,
    position: status?.position,
  };
}
