import { createRequire } from 'node:module';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { decodeFetchResponse, type FetchResponse } from './kafka-fetch-response.ts';

const require = createRequire(import.meta.url);
const Encoder = require('kafkajs/src/protocol/encoder.js');
const Long = require('kafkajs/src/utils/long.js');
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js');
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js');
const theirs = require('kafkajs/src/protocol/requests/fetch/v11/response.js');

interface GivenRecord {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Record<string, string | string[]>;
  readonly time: number;
}

const START = 1_790_000_000_000;
const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const record = fc.record<GivenRecord>({
  key: fc.option(text, { nil: null }),
  value: fc.option(text, { nil: null }),
  headers: fc.dictionary(
    fc.constantFrom('ce_id', 'ce_idx', 'traceparent', 'x', 'größe'),
    fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })),
  ),
  time: fc.integer({ min: START - 100_000_000, max: START + 100_000_000 }),
});
const batches = fc.array(fc.array(record, { minLength: 1, maxLength: 20 }), { maxLength: 4 });

async function encodeBatch(records: readonly GivenRecord[], firstOffset: number): Promise<Buffer> {
  const firstTimestamp = records[0]?.time ?? START;
  const encoded = await RecordBatch({
    firstOffset: Long.fromNumber(firstOffset),
    firstTimestamp,
    maxTimestamp: firstTimestamp,
    lastOffsetDelta: records.length - 1,
    records: records.map(({ time, ...rest }, offsetDelta) =>
      encodeRecord({ ...rest, offsetDelta, timestampDelta: time - firstTimestamp }),
    ),
  });
  return encoded.buffer;
}

/** The answer of a broker with one partition of one topic. */
function encodeResponse(recordSet: Buffer, highWatermark = 12_345): Buffer {
  return new Encoder()
    .writeInt32(7)
    .writeInt16(0)
    .writeInt32(99)
    .writeInt32(1)
    .writeString('clicks')
    .writeInt32(1)
    .writeInt32(3)
    .writeInt16(0)
    .writeInt64(Long.fromNumber(highWatermark))
    .writeInt64(Long.fromNumber(highWatermark))
    .writeInt64(Long.fromNumber(5))
    .writeInt32(-1)
    .writeInt32(-1)
    .writeBytes(recordSet).buffer;
}

/** What consumers see of a response. */
function contentOf(response: FetchResponse) {
  return {
    ...response,
    responses: response.responses.map(({ topicName, partitions }) => ({
      topicName,
      partitions: partitions.map(({ messages, ...partition }) => ({
        ...partition,
        messages: messages.map(({ key, value, headers, offset, timestamp }) => ({
          key: key?.toString() ?? null,
          value: value?.toString() ?? null,
          offset,
          timestamp,
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, header]) => [name, String(header)]),
          ),
        })),
      })),
    })),
  };
}

describe('decodeFetchResponse', () => {
  const one = { key: 'a', value: 'b', headers: { ce_id: 'c' }, time: START };

  it('reads what the library reads', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.integer({ min: 0, max: 2 ** 45 }), async (given, first) => {
        let offset = first;
        const parts: Buffer[] = [];
        for (const records of given) {
          parts.push(await encodeBatch(records, offset));
          offset += records.length;
        }
        const bytes = encodeResponse(Buffer.concat(parts));
        const read = decodeFetchResponse(bytes) as FetchResponse;
        expect(contentOf(read)).toEqual(contentOf(await theirs.decode(bytes)));
        const messages = read.responses[0]?.partitions[0]?.messages ?? [];
        given.flat().forEach(({ value, headers }, index) => {
          expect(messages[index]?.text).toBe(value);
          const id = headers['ce_id'];
          expect(messages[index]?.header('ce_id')).toBe(Array.isArray(id) ? id[0] : id);
        });
      }),
      runs(60),
    );
  });

  it('leaves out a batch that was cut off at the end of the answer', async () => {
    const whole = await encodeBatch([one, one], 10);
    const cut = (await encodeBatch([one, one, one], 12)).subarray(0, -5);
    for (const rest of [cut, cut.subarray(0, 20), cut.subarray(0, 61)]) {
      const read = decodeFetchResponse(encodeResponse(Buffer.concat([whole, rest])));
      const messages = read?.responses[0]?.partitions[0]?.messages ?? [];
      expect(messages.map(({ offset }) => offset)).toEqual(['10', '11']);
    }
  });

  it.each([
    ['gzip', 0x01],
    ['zstd', 0x04],
    ['stamped by the broker', 0x08],
    ['of a transaction', 0x10],
    ['a control batch', 0x30],
  ])(
    'leaves a batch to the library that is %s, and with it the whole answer',
    async (_what, attributes) => {
      const batch = await encodeBatch([one], 11);
      batch.writeInt16BE(attributes, 21);
      const bytes = encodeResponse(Buffer.concat([await encodeBatch([one], 10), batch]));
      expect(decodeFetchResponse(bytes)).toBeUndefined();
    },
  );

  it('leaves messages of older formats to the library', async () => {
    const batch = await encodeBatch([one], 10);
    batch[16] = 1;
    expect(decodeFetchResponse(encodeResponse(batch))).toBeUndefined();
  });

  it('reads a batch of which compaction has left nothing, and one with holes', async () => {
    const empty = await encodeBatch([], 10);
    const read = decodeFetchResponse(
      encodeResponse(Buffer.concat([empty, await encodeBatch([one], 20)])),
    );
    const messages = read?.responses[0]?.partitions[0]?.messages ?? [];
    expect(messages.map(({ offset }) => offset)).toEqual(['20']);
  });

  it('leaves an answer to the library that ends too early, or goes on', async () => {
    const bytes = encodeResponse(await encodeBatch([one, one], 10));
    for (let length = 0; length < bytes.length; length++)
      expect(decodeFetchResponse(bytes.subarray(0, length))).toBeUndefined();
    expect(decodeFetchResponse(Buffer.concat([bytes, Buffer.alloc(1)]))).toBeUndefined();
  });

  it('survives any bytes: what it reads stays within the records, the rest is for the library', async () => {
    const whole = encodeResponse(await encodeBatch([one, { ...one, key: null }, one], 10));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const bytes = Buffer.from(whole);
          for (const [at, byte] of changes) bytes[at] = byte;
          const read = decodeFetchResponse(bytes);
          for (const { messages } of read?.responses.flatMap(({ partitions }) => partitions) ?? [])
            for (const message of messages) {
              const held = [message.key, message.value, ...Object.values(message.headers).flat()];
              const size = held.reduce((sum, part) => sum + (part?.length ?? 0), 0);
              expect(size).toBeLessThan(whole.length);
              message.header('ce_id');
            }
        },
      ),
      // A header's name of negative length led back to where it began, for as many headers as the record claimed.
      {
        ...runs<[[number, number][]]>(2_000),
        examples: [
          [
            [
              [123, 222],
              [170, 188],
            ],
          ],
        ],
      },
    );
  });

  it('reads an answer without messages', () => {
    const read = decodeFetchResponse(encodeResponse(Buffer.alloc(0)));
    expect(read).toMatchObject({
      clientSideThrottleTime: 7,
      sessionId: 99,
      responses: [{ topicName: 'clicks', partitions: [{ partition: 3, messages: [] }] }],
    });
  });
});
