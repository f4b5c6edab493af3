import { createHmac, hash, randomBytes } from 'node:crypto';
import type { Sealing } from '../keys/sealing.ts';

/** What the protocol library hands to its store and expects back. */
export type Payload = Record<string, unknown>;

/** A row of `oidc_records`. */
export interface RecordRow {
  readonly kind: string;
  readonly id: Buffer;
  readonly payload: Payload;
  readonly grantId: string | null;
  readonly accountId: string | null;
  readonly clientId: string | null;
  readonly uid: string | null;
  readonly userCode: Buffer | null;
  readonly expiresAt: Date;
}

/** The secrets a row is written with. */
export interface RecordSecrets {
  readonly sealing: Sealing;
  /** Keys of the user-code hash; codes are short, an unkeyed hash could be searched. The first writes. */
  readonly userCodeKeys: readonly Buffer[];
}

/** Their payloads hold values that someone presents later (a device code, a pushed request's id, an id_token_hint): sealed as a whole. */
const SEALED_KINDS = new Set(['Interaction', 'PushedAuthorizationRequest', 'DeviceCode']);

/** SHA-256 of a value of 256 random bits; what a thief of the database finds cannot be presented. */
export function hashId(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}

/** The value of a token whose dots were taken out on its way here (see the library seam). */
export function tokenValueOf(id: string): string {
  return id.includes('~') ? id.replaceAll('~', '.') : id;
}

/** Keyed hashes of a user code, one for each key. */
export function hashUserCode(userCode: string, keys: readonly Buffer[]): Buffer[] {
  return keys.map((key) => createHmac('sha256', key).update(userCode).digest());
}

/** A payload becomes a row: the raw id leaves it, the columns that are searched by are lifted out. */
export function toRow(
  record: { kind: string; id: string; payload: Payload; expiresAt: Date },
  secrets: RecordSecrets,
): RecordRow {
  const { kind, id, expiresAt } = record;
  const { jti: _jti, ...payload } = record.payload;
  const text = (name: string) =>
    typeof payload[name] === 'string' ? (payload[name] as string) : null;
  const idHash = hashId(id);
  const userCode = text('userCode');
  const links = kind === 'Interaction' ? linksOf(payload) : undefined;
  return {
    kind,
    id: idHash,
    payload: SEALED_KINDS.has(kind)
      ? { ...sealPayload(kind, idHash, record.payload, secrets), sessionUid: links?.sessionUid }
      : payload,
    // A grant is its own family, so that one index finds it and all that came of it.
    grantId: kind === 'Grant' ? id : (links?.grantId ?? text('grantId')),
    accountId: links?.accountId ?? text('accountId'),
    clientId: links?.clientId ?? text('clientId'),
    uid: kind === 'Session' ? text('uid') : null,
    userCode: userCode
      ? (hashUserCode(userCode, secrets.userCodeKeys.slice(0, 1))[0] as Buffer)
      : null,
    expiresAt,
  };
}

/** What an interaction belongs to: ids that other rows show as well, so that they are read along with it. */
function linksOf({ session, params, result }: Payload) {
  const { login, consent } = (result ?? {}) as {
    login?: { accountId?: string };
    consent?: { grantId?: string };
  };
  const begunIn = session as { uid?: string; accountId?: string } | undefined;
  return {
    sessionUid: begunIn?.uid,
    accountId: login?.accountId ?? begunIn?.accountId ?? null,
    grantId: consent?.grantId,
    clientId: (params as { client_id?: string } | undefined)?.client_id ?? null,
  };
}

/** A row becomes a payload again. `id` is the raw value where the caller has it. */
export function toPayload(
  row: { kind: string; idHash: Buffer; payload: Payload; consumedAt: Date | null; expiresAt: Date },
  id: string | undefined,
  secrets: RecordSecrets,
): Payload {
  const payload: Payload = SEALED_KINDS.has(row.kind)
    ? openPayload(row.kind, row.idHash, row.payload, secrets)
    : { ...row.payload };
  if (id !== undefined) payload['jti'] = id;
  if (row.consumedAt) {
    payload['consumed'] = Math.floor(row.consumedAt.getTime() / 1000);
    // What was used stays recognisable for as long as the row is kept, or a late thief would only hear "expired".
    payload['exp'] = Math.floor(row.expiresAt.getTime() / 1000);
  }
  return payload;
}

function sealPayload(kind: string, id: Buffer, payload: Payload, secrets: RecordSecrets): Payload {
  const place = `${kind} ${id.toString('hex')}`;
  const sealed = secrets.sealing.seal(JSON.stringify(payload), place, randomBytes(12));
  return { sealed: sealed.toString('base64') };
}

function openPayload(kind: string, id: Buffer, payload: Payload, secrets: RecordSecrets): Payload {
  const place = `${kind} ${id.toString('hex')}`;
  return JSON.parse(secrets.sealing.open(Buffer.from(String(payload['sealed']), 'base64'), place));
}
