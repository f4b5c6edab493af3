import type { Payload } from './record.ts';

/** A row as it is read. */
export interface StoredRecord {
  readonly idHash: Buffer;
  readonly payload: Payload;
  readonly consumedAt: Date | null;
  readonly expiresAt: Date;
}

/** What is redeemed, and what it hangs on. */
export interface Family {
  readonly record: StoredRecord;
  readonly grant: StoredRecord | undefined;
  readonly session: StoredRecord | undefined;
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
  };
}
