import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { POOL } from '../app.tokens.ts';

/** A signed-in browser of an account. */
export interface SessionRow {
  readonly uid: string;
  readonly signedInAt: Date;
  /** Undefined when nobody noted where the session was begun. */
  readonly browser: string | undefined;
  readonly address: string | undefined;
}

/** What an application holds within a session. */
export interface SessionAuthorization {
  readonly clientId: string;
  readonly sid: string | undefined;
  readonly grantId: string | undefined;
  /** The grant was given for longer than the session. */
  readonly persistsLogout: boolean;
}

/** Where a session was begun, for its owner to recognise it. */
export interface SessionPlace {
  readonly sessionUid: string;
  readonly accountId: string;
  readonly browser: string;
  readonly address: string;
}

/** SQL with four parameters from `$first` on: session, account, browser, address. Of an account that is gone nothing is noted. */
export function notePlace(first: number): string {
  return `INSERT INTO session_places (session_uid, account_id, browser, address)
    SELECT $${first}, id, $${first + 2}, $${first + 3} FROM accounts WHERE id = $${first + 1}
    ON CONFLICT (session_uid) DO UPDATE SET account_id = EXCLUDED.account_id, browser = EXCLUDED.browser,
      address = EXCLUDED.address, signed_in_at = now()`;
}

export function placeParameters({
  sessionUid,
  accountId,
  browser,
  address,
}: SessionPlace): string[] {
  return [sessionUid, accountId, browser, address];
}

type Authorizations = Record<
  string,
  { sid?: string; grantId?: string; persistsLogout?: boolean } | undefined
>;

/** What is open in the name of an account: its sessions and grants among the protocol's records. */
@Injectable()
export class AccessRepository {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Live sessions, the latest sign-in first. */
  async listSessions(accountId: string): Promise<SessionRow[]> {
    const { rows } = await this.pool.query<{
      uid: string;
      login_ts: string | null;
      browser: string | null;
      address: string | null;
      created_at: Date;
    }>(
      `SELECT r.uid, r.payload->>'loginTs' AS login_ts, r.created_at, p.browser, p.address
        FROM oidc_records r LEFT JOIN session_places p ON p.session_uid = r.uid
        WHERE r.kind = 'Session' AND r.account_id = $1 AND r.expires_at > now()
        ORDER BY (r.payload->>'loginTs')::bigint DESC NULLS LAST LIMIT 200`,
      [accountId],
    );
    return rows.map((row) => ({
      uid: row.uid,
      signedInAt: row.login_ts ? new Date(Number(row.login_ts) * 1000) : row.created_at,
      browser: row.browser ?? undefined,
      address: row.address ?? undefined,
    }));
  }

  /** Ends the account's sessions, all but `keep` or the one named; returns what applications held in them. */
  async endSessions(
    accountId: string,
    which: { readonly uid: string } | { readonly allBut: string | undefined },
  ): Promise<SessionAuthorization[][]> {
    const { rows } = await this.pool.query<{ authorizations: Authorizations | null }>(
      `DELETE FROM oidc_records WHERE kind = 'Session' AND account_id = $1
          AND ($2::text IS NULL OR uid = $2) AND ($3::text IS NULL OR uid <> $3)
        RETURNING payload->'authorizations' AS authorizations`,
      [accountId, 'uid' in which ? which.uid : null, 'allBut' in which ? which.allBut : null],
    );
    return rows.map(({ authorizations }) => toAuthorizations(authorizations ?? {}));
  }

  /** Ids of the account's grants, those of one application or of all. */
  async listGrants(accountId: string, clientId?: string): Promise<string[]> {
    const { rows } = await this.pool.query<{ grant_id: string }>(
      `SELECT grant_id FROM oidc_records WHERE kind = 'Grant' AND account_id = $1 AND ($2::text IS NULL OR client_id = $2)`,
      [accountId, clientId ?? null],
    );
    return rows.map((row) => row.grant_id);
  }

  /** Notes where a session was begun. Nothing is noted for an account that is gone by then. */
  async notePlace(place: SessionPlace): Promise<void> {
    await this.pool.query({
      name: 'session-place',
      text: notePlace(1),
      values: placeParameters(place),
    });
  }

  /** Forgets places of sessions that are over, at most `limit`; returns how many. */
  async purgePlaces(limit: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM session_places WHERE session_uid IN (
        SELECT p.session_uid FROM session_places p
        WHERE p.signed_in_at < now() - interval '1 hour'
          AND NOT EXISTS (SELECT 1 FROM oidc_records r WHERE r.uid = p.session_uid)
        ORDER BY p.signed_in_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return rowCount ?? 0;
  }
}

function toAuthorizations(authorizations: Authorizations): SessionAuthorization[] {
  return Object.entries(authorizations).map(([clientId, held]) => ({
    clientId,
    sid: held?.sid,
    grantId: held?.grantId,
    persistsLogout: held?.persistsLogout === true,
  }));
}
