import type { Account } from '../accounts/account.ts';
import { type AccountJson, toAccount } from '../accounts/account-record.ts';
import { readConsent } from '../accounts/consent-record.ts';
import type { RememberedConsent } from '../provider/consent-memory.ts';
import type { Payload } from './record.ts';

/** A row as it is read. */
export interface StoredRecord {
  readonly idHash: Buffer;
  readonly payload: Payload;
  readonly consumedAt: Date | null;
  readonly expiresAt: Date;
}

/** Whom a record belongs to. */
export interface Person {
  readonly account: Account;
  /** The application that asks, where the record is an interaction; then `consent` is what it was allowed before, if anything. */
  readonly clientId: string | undefined;
  readonly consent: RememberedConsent | undefined;
}

/** A record, and what it hangs on. */
export interface Family {
  readonly record: StoredRecord;
  readonly grant: StoredRecord | undefined;
  readonly session: StoredRecord | undefined;
  readonly person: Person | undefined;
}

/** A row as one JSON value: the driver spends more on a column than on the bytes in it. */
export interface RecordJson {
  readonly id: string;
  readonly payload: Payload;
  /** Seconds since the epoch, to the millisecond. */
  readonly consumed: number | null;
  readonly expires: number;
}

export interface FamilyJson {
  readonly record: RecordJson;
  readonly grant: RecordJson | null;
  readonly session: RecordJson | null;
  readonly account: AccountJson | null;
  readonly client: string | null;
  readonly consent: unknown;
}

/** SQL that makes a RecordJson of the row `alias`. */
export function recordJson(alias: string): string {
  return `json_build_object('id', encode(${alias}.id, 'hex'), 'payload', ${alias}.payload,
    'consumed', extract(epoch FROM ${alias}.consumed_at), 'expires', extract(epoch FROM ${alias}.expires_at))`;
}

export function toStored(json: RecordJson): StoredRecord {
  return {
    idHash: Buffer.from(json.id, 'hex'),
    payload: json.payload,
    consumedAt: json.consumed === null ? null : new Date(json.consumed * 1000),
    expiresAt: new Date(json.expires * 1000),
  };
}

export function toFamily(json: FamilyJson): Family {
  return {
    record: toStored(json.record),
    grant: json.grant ? toStored(json.grant) : undefined,
    session: json.session ? toStored(json.session) : undefined,
    person: json.account
      ? {
          account: toAccount(json.account),
          clientId: json.client ?? undefined,
          consent: json.consent ? readConsent(json.consent) : undefined,
        }
      : undefined,
  };
}
