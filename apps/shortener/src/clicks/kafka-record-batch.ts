import { CLICK_EVENT_TYPE } from '@gatepost/contracts';
import type { Arena } from './arena.ts';
import type { RecordedClick } from './click.ts';

/**
 * Writes clicks as one Kafka record batch (message format v2: https://kafka.apache.org/documentation/#recordbatch).
 *
 * kafkajs can do this too, at about 30 µs a message with these headers, most of it in one small buffer after another. The
 * redirect process pays for it, so it is written here in one pass: all headers but three are the same bytes every time.
 */
export class ClickBatchEncoder {
  private readonly headers: HeaderTemplate;

  constructor(source: string) {
    this.headers = new HeaderTemplate([
      ['ce_specversion', '1.0'],
      ['ce_type', CLICK_EVENT_TYPE],
      ['ce_source', source],
      ['content-type', 'application/json'],
    ]);
  }

  /** Appends the batch of at least one click. */
  encode(clicks: readonly RecordedClick[], arena: Arena): void {
    const firstTime = (clicks[0] as RecordedClick).time;
    const begin = arena.length;
    let lastTime = firstTime;
    arena.reserve(BATCH_HEADER_BYTES);
    arena.length += BATCH_HEADER_BYTES;
    for (let index = 0; index < clicks.length; index++) {
      const click = clicks[index] as RecordedClick;
      if (click.time > lastTime) lastTime = click.time;
      this.writeRecord(arena, click, { offset: index, time: click.time - firstTime });
    }
    writeBatchHeader(arena, begin, { count: clicks.length, firstTime, lastTime });
  }

  private writeRecord(
    arena: Arena,
    click: RecordedClick,
    delta: { offset: number; time: number },
  ): void {
    const value = jsonOf(click);
    const valueBytes = Buffer.byteLength(value);
    const { code } = click.event; // Base62: a byte a character
    const size =
      1 +
      sizeOfVarint(delta.time) +
      sizeOfVarint(delta.offset) +
      sizeOfVarint(code.length) +
      code.length +
      sizeOfVarint(valueBytes) +
      valueBytes +
      this.headers.size;
    arena.reserve(size + 5);
    const { buffer } = arena;
    let at = writeVarint(buffer, arena.length, size);
    buffer[at++] = 0; // attributes: none are defined
    at = writeVarint(buffer, at, delta.time);
    at = writeVarint(buffer, at, delta.offset);
    at = writeVarint(buffer, at, code.length);
    for (let index = 0; index < code.length; index++) buffer[at++] = code.charCodeAt(index);
    at = writeVarint(buffer, at, valueBytes);
    const headers = this.headers.textFor(click);
    // Nearly always all of it is a byte a character, and one call writes both.
    if (valueBytes === value.length) at += buffer.write(value + headers, at, 'latin1');
    else {
      at += buffer.write(value, at);
      at += buffer.write(headers, at, 'latin1');
    }
    arena.length = at;
  }
}

/** The JSON of an event. Its code and its timestamp are ours and need no escaping. */
function jsonOf({ event }: RecordedClick): string {
  const { code, timestamp, ip, referrer, userAgent } = event;
  return `{"code":"${code}","timestamp":"${timestamp}","ip":${JSON.stringify(ip)},"referrer":${JSON.stringify(referrer)},"userAgent":${JSON.stringify(userAgent)}}`;
}

function writeBatchHeader(
  { buffer, length: end }: Arena,
  begin: number,
  { count, firstTime, lastTime }: { count: number; firstTime: number; lastTime: number },
): void {
  buffer.writeBigInt64BE(0n, begin); // base offset: the broker's to set
  buffer.writeInt32BE(end - begin - 12, begin + 8); // length of what follows
  buffer.writeInt32BE(-1, begin + 12); // partition leader epoch: unknown
  buffer[begin + 16] = 2; // magic
  buffer.writeInt16BE(0, begin + 21); // attributes: not compressed, times of creation
  buffer.writeInt32BE(count - 1, begin + 23); // last offset delta
  buffer.writeBigInt64BE(BigInt(firstTime), begin + 27);
  buffer.writeBigInt64BE(BigInt(lastTime), begin + 35);
  buffer.writeBigInt64BE(-1n, begin + 43); // producer id: not idempotent, the worker tells duplicates by ce_id
  buffer.writeInt16BE(-1, begin + 51);
  buffer.writeInt32BE(-1, begin + 53);
  buffer.writeInt32BE(count, begin + 57);
  buffer.writeUInt32BE(crc32c(buffer, begin + 21, end), begin + 17);
}

const BATCH_HEADER_BYTES = 61;

/**
 * The header section of a record, a character a byte, with gaps for the three values that differ; these have one length
 * always.
 */
class HeaderTemplate {
  /** Bytes of the section. */
  readonly size: number;
  private readonly gaps: readonly [string, string, string];

  constructor(fixed: readonly (readonly [string, string])[]) {
    const parts: Buffer[] = [varint(fixed.length + 3)];
    for (const [name, value] of fixed) parts.push(text(name), text(value));
    parts.push(text('ce_id'), varint(ID_LENGTH));
    const beforeId = Buffer.concat(parts);
    const beforeTime = Buffer.concat([text('ce_time'), varint(TIME_LENGTH)]);
    const beforeTrace = Buffer.concat([text('traceparent'), varint(TRACE_LENGTH)]);
    this.gaps = [
      beforeId.toString('latin1'),
      beforeTime.toString('latin1'),
      beforeTrace.toString('latin1'),
    ];
    this.size = this.gaps.join('').length + ID_LENGTH + TIME_LENGTH + TRACE_LENGTH;
  }

  textFor({ id, event, traceparent }: RecordedClick): string {
    const [beforeId, beforeTime, beforeTrace] = this.gaps;
    const whole = beforeId + id + beforeTime + event.timestamp + beforeTrace + traceparent;
    if (whole.length !== this.size) throw new Error('a header of a click has another length');
    return whole;
  }
}

const ID_LENGTH = 36;
const TIME_LENGTH = 24;
const TRACE_LENGTH = 55;

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  return bytes.subarray(0, writeVarint(bytes, 0, value));
}

/** Zigzag varint of a 32-bit number. Deltas are milliseconds within a batch and indexes, so 32 bits are plenty. */
function writeVarint(buffer: Buffer, start: number, value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  let at = start;
  while (rest > 0x7f) {
    buffer[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[at++] = rest;
  return at;
}

function sizeOfVarint(value: number): number {
  const rest = ((value << 1) ^ (value >> 31)) >>> 0;
  return rest < 0x80 ? 1 : rest < 0x4000 ? 2 : rest < 0x200000 ? 3 : rest < 0x10000000 ? 4 : 5;
}

/** Tables for CRC-32C eight bytes at a time. */
const CRC_TABLES = (() => {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    tables[byte] = crc;
  }
  for (let byte = 0; byte < 256; byte++) {
    for (let table = 1; table < 8; table++) {
      const before = tables[(table - 1) * 256 + byte] as number;
      tables[table * 256 + byte] = (before >>> 8) ^ (tables[before & 0xff] as number);
    }
  }
  return tables;
})();

/** CRC-32C (Castagnoli) of a part of a buffer, as the broker checks it. */
export function crc32c(buffer: Buffer, start: number, end: number): number {
  const tables = CRC_TABLES as unknown as readonly number[] & Int32Array;
  let crc = -1;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const mixed =
      crc ^
      ((buffer[at] as number) |
        ((buffer[at + 1] as number) << 8) |
        ((buffer[at + 2] as number) << 16) |
        ((buffer[at + 3] as number) << 24));
    crc =
      (tables[1792 + (mixed & 0xff)] as number) ^
      (tables[1536 + ((mixed >>> 8) & 0xff)] as number) ^
      (tables[1280 + ((mixed >>> 16) & 0xff)] as number) ^
      (tables[1024 + (mixed >>> 24)] as number) ^
      (tables[768 + (buffer[at + 4] as number)] as number) ^
      (tables[512 + (buffer[at + 5] as number)] as number) ^
      (tables[256 + (buffer[at + 6] as number)] as number) ^
      (tables[buffer[at + 7] as number] as number);
  }
  for (; at < end; at++)
    crc = (crc >>> 8) ^ (tables[(crc ^ (buffer[at] as number)) & 0xff] as number);
  return (crc ^ -1) >>> 0;
}
