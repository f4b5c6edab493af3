import { createRequire } from 'node:module';
import { type ClickEventHeaders, clickEventHeaders } from '@gatepost/contracts';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { Arena } from './arena.ts';
import { toRecordedClick } from './click.ts';
import { EventIds } from './event-id.ts';
import { ClickBatchEncoder, crc32c } from './kafka-record-batch.ts';

const require = createRequire(import.meta.url);
const Decoder = require('kafkajs/src/protocol/decoder.js');
const decodeRecordBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder.js');
const theirCrc32c = require('kafkajs/src/protocol/recordBatch/crc32C/index.js');

const ids = new EventIds();
const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 400 }), { nil: null });
const click = fc
  .record({
    code: fc.stringMatching(/^[0-9A-Za-z]{6,8}$/),
    timestamp: fc.date({
      min: new Date('2026-11-20T00:00:00Z'),
      max: new Date('2026-11-20T06:00:00Z'),
      noInvalidDate: true,
    }),
    ip: fc.ipV6(),
    referrer: text,
    userAgent: text,
  })
  .map((facts) => toRecordedClick(facts, ids));

interface DecodedRecord {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly timestamp: string;
  readonly offset: string;
  readonly headers: Readonly<Record<string, Buffer>>;
}

describe('ClickBatchEncoder', () => {
  it('writes what the library reads back, whatever the clicks', async () => {
    const encoder = new ClickBatchEncoder('https://go.example.com');
    await fc.assert(
      fc.asyncProperty(fc.array(click, { minLength: 1, maxLength: 200 }), async (clicks) => {
        const arena = new Arena();
        arena.length = 3; // whatever was written before
        encoder.encode(clicks, arena);
        const batch = arena.buffer.subarray(3, arena.length);
        expect(batch.readUInt32BE(17)).toBe(theirCrc32c(batch.subarray(21)) >>> 0);
        const { records } = await decodeRecordBatch(new Decoder(batch));
        expect(records.map(({ value }: DecodedRecord) => JSON.parse(String(value)))).toEqual(
          clicks.map(({ event }) => event),
        );
        records.forEach((record: DecodedRecord, index: number) => {
          const recorded = clicks[index];
          const headers = Object.fromEntries(
            Object.entries(record.headers).map(([name, value]) => [name, String(value)]),
          ) as ClickEventHeaders;
          expect(clickEventHeaders.strict().parse(headers)).toMatchObject({
            ce_id: recorded?.id,
            ce_time: recorded?.event.timestamp,
            ce_source: 'https://go.example.com',
            traceparent: recorded?.traceparent,
          });
          expect(String(record.key)).toBe(recorded?.event.code);
          expect(record.timestamp).toBe(String(recorded?.time));
          expect(record.offset).toBe(String(index));
        });
      }),
      runs(40),
    );
  });
});

describe('crc32c', () => {
  it.each([
    ['123456789', 0xe3069283],
    ['', 0],
  ])('of %j is the published value', (given, expected) => {
    const bytes = Buffer.from(given);
    expect(crc32c(bytes, 0, bytes.length)).toBe(expected);
  });
});
