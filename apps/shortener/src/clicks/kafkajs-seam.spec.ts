import { createRequire } from 'node:module';
import { CompressionTypes } from 'kafkajs';
import { FetchedRecord } from './kafka-fetched-record.ts';
import './kafkajs-seam.ts';

const require = createRequire(import.meta.url);
const RequestQueue = require('kafkajs/src/network/requestQueue/index.js');
const { requests } = require('kafkajs/src/protocol/requests/index.js');
const Encoder = require('kafkajs/src/protocol/encoder.js');
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js');
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js');
const { version } = require('kafkajs/package.json');

/** An answer to a fetch, version 11, with one click of partition 3. */
async function answerWith(compression: CompressionTypes): Promise<Buffer> {
  const record = { key: 'AbC1234', value: '{}', headers: { ce_id: 'x' }, offsetDelta: 0 };
  const { buffer } = await RecordBatch({ compression, records: [encodeRecord(record)] });
  return new Encoder()
    .writeInt32(0)
    .writeInt16(0)
    .writeInt32(0)
    .writeInt32(1)
    .writeString('clicks')
    .writeInt32(1)
    .writeInt32(3)
    .writeInt16(0)
    .writeInt64(1)
    .writeInt64(1)
    .writeInt64(0)
    .writeInt32(-1)
    .writeInt32(-1)
    .writeBytes(buffer).buffer;
}

describe('the seam to kafkajs', () => {
  it('fits the release it was written for', () => {
    expect(version).toBe('2.2.4');
  });

  it.each([
    ['reads plain clicks itself', CompressionTypes.None, true],
    ['has the library read compressed ones', CompressionTypes.GZIP, false],
  ])('%s', async (_what, compression, isOurs) => {
    const { response } = requests.Fetch.protocol({ version: 11 })({ topics: [] });
    const answer = await response.decode(await answerWith(compression));
    const [message] = answer.responses[0].partitions[0].messages;
    expect(message instanceof FetchedRecord).toBe(isOurs);
    expect([message.offset, String(message.key), String(message.value)]).toEqual([
      '0',
      'AbC1234',
      '{}',
    ]);
    expect(String(message.headers.ce_id)).toBe('x');
    expect(message.isControlRecord).toBe(false);
  });

  it('leaves answers of other versions alone', async () => {
    const { response } = requests.Fetch.protocol({ version: 10 })({ topics: [] });
    expect(response).toBe(require('kafkajs/src/protocol/requests/fetch/v10/response.js'));
  });

  it('leaves a queue without a timer when nothing waits in it: no negative delays', () => {
    const queue = new RequestQueue({
      maxInFlightRequests: null,
      requestTimeout: 1_000,
      enforceRequestTimeout: false,
      clientId: 'spec',
      broker: 'spec:9092',
      logger: { debug: () => undefined },
    });
    queue.checkPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
    queue.destroy();
  });

  it('lets a throttled queue go on when the throttle ends', async () => {
    const queue = new RequestQueue({
      maxInFlightRequests: null,
      requestTimeout: 1_000,
      enforceRequestTimeout: false,
      clientId: 'spec',
      broker: 'spec:9092',
      logger: { debug: () => undefined },
    });
    queue.maybeThrottle(30);
    const sent = new Promise<void>((resolve) => {
      queue.push({
        entry: { correlationId: 1 },
        expectResponse: true,
        sendRequest: () => resolve(),
      });
    });
    const began = Date.now();
    await sent;
    expect(Date.now() - began).toBeGreaterThanOrEqual(25);
    queue.destroy();
  });
});
