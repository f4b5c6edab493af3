import { FetchedRecord, RecordReader } from './kafka-fetched-record.ts';

/** What a batch must not be for us to read it: compressed, of a transaction, a control batch, or timed by the broker. */
const SPECIAL_ATTRIBUTES = 0x3f;
const MAGIC = 2;
const BATCH_OVERHEAD = 61;
/** Bytes of a batch before those that its length counts. */
const BATCH_PREFIX = 12;

/** Something that is not for us to read. */
class NotPlain extends Error {}

interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: string;
}

/** As kafkajs decodes it. */
export interface FetchResponse {
  readonly throttleTime: number;
  readonly clientSideThrottleTime: number;
  readonly errorCode: number;
  readonly sessionId: number;
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly FetchedPartition[];
  }[];
}

interface FetchedPartition {
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: string;
  readonly lastStableOffset: string;
  readonly lastStartOffset: string;
  readonly abortedTransactions: readonly AbortedTransaction[];
  readonly preferredReadReplica: number;
  readonly messages: readonly FetchedRecord[];
}

/**
 * Decodes a fetch response of version 11 (https://kafka.apache.org/protocol#The_Messages_Fetch) whose batches are plain, as
 * those of clicks are; undefined for any other, and for one whose lengths do not fit together, which are left to the library.
 * The library takes 6 µs a click, most of them for headers that nobody reads; this takes less than half of one. Like the
 * library, it trusts the broker and TCP for checksums.
 */
export function decodeFetchResponse(bytes: Buffer): FetchResponse | undefined {
  try {
    return readResponse(new ResponseReader(bytes));
  } catch {
    // Not plain, or a length led out of the buffer: the library has the last word on both.
    return undefined;
  }
}

function readResponse(reader: ResponseReader): FetchResponse {
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const responses = reader.array(() => ({
    topicName: reader.string(),
    partitions: reader.array(() => readPartition(reader)),
  }));
  reader.expectEnd();
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

function readPartition(reader: ResponseReader): FetchedPartition {
  return {
    partition: reader.int32(),
    errorCode: reader.int16(),
    highWatermark: reader.int64(),
    lastStableOffset: reader.int64(),
    lastStartOffset: reader.int64(),
    abortedTransactions: reader.array(() => ({
      producerId: reader.int64(),
      firstOffset: reader.int64(),
    })),
    preferredReadReplica: reader.int32(),
    messages: reader.records(),
  };
}

class ResponseReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  int16(): number {
    this.at += 2;
    return this.bytes.readInt16BE(this.at - 2);
  }

  int32(): number {
    this.at += 4;
    return this.bytes.readInt32BE(this.at - 4);
  }

  int64(): string {
    this.at += 8;
    return this.bytes.readBigInt64BE(this.at - 8).toString();
  }

  string(): string {
    const length = this.int16();
    // Backwards, a count of 2^31 would not be stopped by the end of the buffer.
    if (length < 0) throw new NotPlain();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  array<T>(read: () => T): T[] {
    const length = this.int32();
    const items: T[] = [];
    for (let index = 0; index < length; index++) items.push(read());
    return items;
  }

  expectEnd(): void {
    if (this.at !== this.bytes.length) throw new NotPlain();
  }

  records(): FetchedRecord[] {
    const length = this.int32();
    const records: FetchedRecord[] = [];
    if (length <= 0) return records;
    const end = this.at + length;
    if (end > this.bytes.length) throw new NotPlain();
    // The last batch may be cut off where the answer was full; it is fetched again.
    while (this.at + BATCH_OVERHEAD <= end) {
      const next = this.at + BATCH_PREFIX + this.bytes.readInt32BE(this.at + 8);
      if (next > end) break;
      readBatch(this.bytes, this.at, next, records);
      this.at = next;
    }
    this.at = end;
    return records;
  }
}

/** Reads the batch from `at` up to `end`. */
function readBatch(bytes: Buffer, at: number, end: number, records: FetchedRecord[]): void {
  const isPlain =
    end >= at + BATCH_OVERHEAD &&
    bytes[at + 16] === MAGIC &&
    (bytes.readInt16BE(at + 21) & SPECIAL_ATTRIBUTES) === 0;
  if (!isPlain) throw new NotPlain();
  const firstOffset = Number(bytes.readBigInt64BE(at));
  const firstTime = Number(bytes.readBigInt64BE(at + 27));
  const count = bytes.readInt32BE(at + 57);
  const reader = new RecordReader(bytes, at + BATCH_OVERHEAD);
  for (let index = 0; index < count; index++) {
    const length = reader.varint();
    const recordEnd = reader.at + length;
    reader.at += 1; // attributes: none are defined
    const time = firstTime + reader.varlong();
    const offset = firstOffset + reader.varint();
    const keyBytes = reader.varint();
    const keyAt = reader.at;
    reader.at += Math.max(keyBytes, 0);
    const valueBytes = reader.varint();
    const valueAt = reader.at;
    const headersAt = valueAt + Math.max(valueBytes, 0);
    if (!(headersAt < recordEnd && recordEnd <= end)) throw new NotPlain();
    const place = { keyAt, keyBytes, valueAt, valueBytes, headersAt, end: recordEnd };
    records.push(new FetchedRecord(bytes, place, String(offset), String(time)));
    reader.at = recordEnd;
  }
  if (reader.at !== end) throw new NotPlain();
}
