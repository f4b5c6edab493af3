import type { SessionPlace } from '../accounts/access.repository.ts';
import type { GivenConsent } from '../accounts/consent-record.ts';
import type { RecordRow } from './record.ts';
import { keyOf } from './record-reads.repository.ts';
import type { StatusPlace } from './status-place.ts';
import type { Family, Person, StoredRecord } from './stored-record.ts';

/** A token that is to be written, with the place where its status is published. */
export interface NewToken {
  readonly row: RecordRow;
  readonly status: StatusPlace | undefined;
}

/** What is redeemed for tokens: a code or a refresh token. */
export interface Redeemed {
  readonly kind: string;
  readonly id: Buffer;
  /** It is kept until then, so that a second use is recognised. */
  readonly keepUntil: Date;
}

/**
 * What one request has read ahead and will write. All of it is written in one statement when the answer stands and before it is
 * sent: one round trip instead of many, and a code is used up exactly when its tokens exist.
 */
export class RequestWork {
  redeemed: Redeemed | undefined;
  /** Where a session begins with this request. */
  place: SessionPlace | undefined;
  /** What a person allows with this request, beyond the grant. */
  consent: GivenConsent | undefined;
  readonly tokens: NewToken[] = [];
  /** Rows to be written by key; undefined: to be deleted. */
  private readonly writes = new Map<string, RecordRow | undefined>();
  private readonly ahead = new Map<string, StoredRecord>();
  private person: Person | undefined;

  get isEmpty(): boolean {
    return this.writes.size === 0 && this.tokens.length === 0;
  }

  get rows(): RecordRow[] {
    return [...this.writes.values()].filter((row) => row !== undefined);
  }

  /** Keys of what is to be deleted. */
  get deletions(): string[] {
    return [...this.writes].filter(([, row]) => row === undefined).map(([key]) => key);
  }

  write(row: RecordRow): void {
    this.writes.set(keyOf(row.kind, row.id), row);
  }

  delete(kind: string, id: Buffer): void {
    this.writes.set(keyOf(kind, id), undefined);
  }

  addToken(row: RecordRow, status?: StatusPlace): void {
    this.tokens.push({ row, status });
  }

  readAhead({ grant, session, person }: Omit<Family, 'record'>): void {
    // An interaction knows more of a person than a session does.
    if (person && (person.clientId !== undefined || !this.person)) this.person = person;
    if (grant) this.ahead.set(keyOf('Grant', grant.idHash), grant);
    if (session) this.ahead.set(`uid ${session.payload['uid']}`, session);
  }

  keep(kind: string, record: StoredRecord): void {
    this.ahead.set(keyOf(kind, record.idHash), record);
  }

  /** What the request wrote itself or read ahead; `gone` when it deleted it, undefined when it knows nothing. */
  recall(kind: string, id: Buffer): StoredRecord | 'gone' | undefined {
    const key = keyOf(kind, id);
    if (!this.writes.has(key)) return this.ahead.get(key);
    const row = this.writes.get(key);
    return row ? asStored(row) : 'gone';
  }

  /** The person, if it is this one that what the request came with belongs to. */
  recallPerson(accountId: string): Person | undefined {
    return this.person?.account.id === accountId ? this.person : undefined;
  }

  recallSession(uid: string): StoredRecord | undefined {
    const written = this.rows.find((row) => row.uid === uid);
    return written ? asStored(written) : this.ahead.get(`uid ${uid}`);
  }
}

function asStored(row: RecordRow): StoredRecord {
  return { idHash: row.id, payload: row.payload, consumedAt: null, expiresAt: row.expiresAt };
}
