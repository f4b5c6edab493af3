import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { accountJson } from '../accounts/account-record.ts';
import { POOL } from '../app.tokens.ts';
import { BatchLoader } from './batch-loader.ts';
import {
  type Family,
  type FamilyJson,
  type RecordJson,
  recordJson,
  type StoredRecord,
  toFamily,
  toStored,
} from './stored-record.ts';

/** Kind and id of a record in one string; kinds have no spaces. */
export function keyOf(kind: string, id: Buffer): string {
  return `${kind} ${id.toString('hex')}`;
}

const ASKED = `unnest($1::text[]) AS key,
  LATERAL (SELECT split_part(key, ' ', 1) AS kind, decode(split_part(key, ' ', 2), 'hex') AS id) asked`;

/** Reads of the protocol store. What is asked for at the same time is read in one round trip. */
@Injectable()
export class RecordReadsRepository {
  private readonly records: BatchLoader<StoredRecord>;
  private readonly families: BatchLoader<Family>;

  constructor(@Inject(POOL) private readonly pool: Pool) {
    this.records = new BatchLoader((keys) => this.readRecords(keys));
    this.families = new BatchLoader((keys) => this.readFamilies(keys));
  }

  find(kind: string, id: Buffer): Promise<StoredRecord | undefined> {
    return this.records.load(keyOf(kind, id));
  }

  /** A record with its grant, its session, the account of either, and for an interaction what the application may do already. */
  findWithFamily(kind: string, id: Buffer): Promise<Family | undefined> {
    return this.families.load(keyOf(kind, id));
  }

  async findByUid(uid: string): Promise<StoredRecord | undefined> {
    const { rows } = await this.pool.query<{ row: RecordJson }>({
      name: 'record-by-uid',
      text: `SELECT ${recordJson('r')} AS row FROM oidc_records r WHERE r.uid = $1 AND r.kind = 'Session'`,
      values: [uid],
    });
    return rows[0] && toStored(rows[0].row);
  }

  async findByUserCode(hashes: readonly Buffer[]): Promise<StoredRecord | undefined> {
    const { rows } = await this.pool.query<{ row: RecordJson }>({
      name: 'record-by-user-code',
      text: `SELECT ${recordJson('r')} AS row FROM oidc_records r
        WHERE r.user_code = ANY($1) AND r.kind = 'DeviceCode' ORDER BY r.created_at DESC LIMIT 1`,
      values: [hashes],
    });
    return rows[0] && toStored(rows[0].row);
  }

  private async readRecords(keys: readonly string[]): Promise<Map<string, StoredRecord>> {
    const { rows } = await this.pool.query<{ row: { key: string; record: RecordJson } }>({
      name: 'record-find',
      text: `SELECT json_build_object('key', key, 'record', ${recordJson('r')}) AS row
        FROM ${ASKED}, oidc_records r WHERE r.kind = asked.kind AND r.id = asked.id`,
      values: [keys],
    });
    return new Map(rows.map(({ row }) => [row.key, toStored(row.record)]));
  }

  private async readFamilies(keys: readonly string[]): Promise<Map<string, Family>> {
    const { rows } = await this.pool.query<{ row: FamilyJson & { key: string } }>({
      name: 'record-find-family',
      text: `SELECT json_build_object('key', key, 'record', ${recordJson('r')},
          'grant', CASE WHEN g.id IS NOT NULL THEN ${recordJson('g')} END,
          'session', CASE WHEN s.id IS NOT NULL THEN ${recordJson('s')} END,
          'account', CASE WHEN a.id IS NOT NULL THEN ${accountJson('a')} END,
          'client', CASE WHEN r.kind = 'Interaction' THEN r.client_id END, 'consent', c.allowed) AS row
        FROM ${ASKED}
        JOIN oidc_records r ON r.kind = asked.kind AND r.id = asked.id
        LEFT JOIN oidc_records g ON g.kind = 'Grant' AND g.id = sha256(convert_to(r.grant_id, 'UTF8'))
        LEFT JOIN oidc_records s ON s.uid = r.payload->>'sessionUid' AND s.kind = 'Session'
        CROSS JOIN LATERAL (SELECT coalesce(r.account_id, s.account_id) AS id) owner
        LEFT JOIN accounts a ON a.id = CASE WHEN owner.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN owner.id::uuid END
        LEFT JOIN consents c ON r.kind = 'Interaction' AND c.account_id = a.id AND c.client_id = r.client_id`,
      values: [keys],
    });
    return new Map(rows.map(({ row }) => [row.key, toFamily(row)]));
  }
}
