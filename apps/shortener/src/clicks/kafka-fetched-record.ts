import type { IHeaders } from 'kafkajs';

/** What a batch says of all its records; none of ours belongs to a transaction. */
const PLAIN = { inTransaction: false, producerId: '-1' };

/**
 * A record of a fetched batch (message format v2), in the shape of a kafkajs message, whose parts are read when they are
 * asked for: most of a click's headers never are.
 */
export class FetchedRecord {
  readonly magicByte = 2;
  readonly attributes = 0;
  readonly isControlRecord = false;
  readonly batchContext = PLAIN;

  constructor(
    private readonly bytes: Buffer,
    private readonly place: {
      readonly keyAt: number;
      readonly keyBytes: number;
      readonly valueAt: number;
      readonly valueBytes: number;
      readonly headersAt: number;
      readonly end: number;
    },
    readonly offset: string,
    readonly timestamp: string,
  ) {}

  get key(): Buffer | null {
    const { keyAt, keyBytes } = this.place;
    return keyBytes < 0 ? null : this.bytes.subarray(keyAt, keyAt + keyBytes);
  }

  get value(): Buffer | null {
    const { valueAt, valueBytes } = this.place;
    return valueBytes < 0 ? null : this.bytes.subarray(valueAt, valueAt + valueBytes);
  }

  /** The value as text; null where there is none. */
  get text(): string | null {
    const { valueAt, valueBytes } = this.place;
    return valueBytes < 0 ? null : this.bytes.toString('utf8', valueAt, valueAt + valueBytes);
  }

  get headers(): IHeaders {
    const headers: IHeaders = {};
    this.eachHeader((nameAt, nameBytes, at, bytes) => {
      const name = this.bytes.toString('utf8', nameAt, nameAt + nameBytes);
      const value = bytes < 0 ? undefined : this.bytes.subarray(at, at + bytes);
      const before = headers[name];
      if (before === undefined || value === undefined) headers[name] = value;
      else headers[name] = [...(Array.isArray(before) ? before : [before]), value];
      return false;
    });
    return headers;
  }

  /** One header as text; the name is ASCII. */
  header(name: string): string | undefined {
    let found: string | undefined;
    this.eachHeader((nameAt, nameBytes, at, bytes) => {
      if (nameBytes !== name.length || !this.isAt(name, nameAt)) return false;
      found = bytes < 0 ? undefined : this.bytes.toString('utf8', at, at + bytes);
      return true;
    });
    return found;
  }

  private isAt(name: string, at: number): boolean {
    for (let index = 0; index < name.length; index++)
      if (this.bytes[at + index] !== name.charCodeAt(index)) return false;
    return true;
  }

  /** Until `look` is satisfied. */
  private eachHeader(
    look: (nameAt: number, nameBytes: number, valueAt: number, valueBytes: number) => boolean,
  ): void {
    const { headersAt, end } = this.place;
    const reader = new RecordReader(this.bytes, headersAt);
    const count = reader.varint();
    // Never out of the record, whatever the counts in it say.
    for (let index = 0; index < count && reader.at < end; index++) {
      const nameBytes = reader.varint();
      const nameAt = reader.at;
      // Backwards, the same headers would be read again and again.
      if (nameBytes < 0) return;
      reader.at += nameBytes;
      const bytes = reader.varint();
      const at = reader.at;
      reader.at += Math.max(bytes, 0);
      if (reader.at > end) return;
      if (look(nameAt, nameBytes, at, bytes)) return;
    }
  }
}

/** Reads the fields of records from front to back. */
export class RecordReader {
  constructor(
    readonly bytes: Buffer,
    public at: number,
  ) {}

  /** Zigzag varint of 32 bits. */
  varint(): number {
    let result = 0;
    let shift = 0;
    let byte: number;
    do {
      byte = this.bytes[this.at++] as number;
      result |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80 && shift < 35);
    return (result >>> 1) ^ -(result & 1);
  }

  /** Zigzag varint of 64 bits, exact up to 2^53: it holds milliseconds. */
  varlong(): number {
    let result = 0;
    let factor = 1;
    let byte: number;
    do {
      byte = this.bytes[this.at++] as number;
      result += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte >= 0x80 && factor < 2 ** 63);
    return result % 2 === 0 ? result / 2 : -(result + 1) / 2;
  }
}
