import { createRequire } from 'node:module';
import type { Arena } from './arena.ts';
import { decodeFetchResponse } from './kafka-fetch-response.ts';

/*
 * The one file that reaches into kafkajs. 2.2.4 is its last release, so what is reached for stays where it is; a spec
 * holds each of these against the real library.
 */

const require = createRequire(import.meta.url);

/** Stands for a whole record batch of one partition, which is written when the request is. At most one a partition. */
export interface PreparedMessage {
  readonly partition: number;
  readonly key: null;
  readonly value: Buffer;
  readonly [PREPARED]?: PreparedBatch;
}

interface PreparedBatch {
  readonly arena: Arena;
  readonly write: (arena: Arena) => void;
}

interface ProduceRequest {
  readonly acks: number;
  readonly timeout: number;
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly messages: readonly PreparedMessage[];
    }[];
  }[];
}

const PREPARED: unique symbol = Symbol('gatepost:prepared-record-batch');
const NOTHING = Buffer.alloc(0);

/**
 * A message for `producer.send` whose record batch `write` appends to the arena. The request is sent from the arena's own
 * memory: it must not be cleared before the send has settled well, and not be used again when it has not.
 */
export function prepareMessage(
  partition: number,
  arena: Arena,
  write: (arena: Arena) => void,
): PreparedMessage {
  return { partition, key: null, value: NOTHING, [PREPARED]: { arena, write } };
}

sendPreparedBatches();
prependInPlace();
readPlainBatches();
waitOnlyForWhatIsPending();

/** Lets `producer.send` carry prepared record batches; requests without them are encoded as ever. */
function sendPreparedBatches(): void {
  const { requests } = require('kafkajs/src/protocol/requests/index.js');
  const { protocol } = requests.Produce;
  requests.Produce.protocol = (wanted: { version: number }) => {
    const create = protocol(wanted);
    return (produce: ProduceRequest) => {
      const created = create(produce);
      const batch = produce.topicData[0]?.partitions[0]?.messages[0]?.[PREPARED];
      if (!batch || wanted.version < 3) return created;
      const encode = async () => encodeProduce(produce, batch.arena);
      return { ...created, request: { ...created.request, encode } };
    };
  };
}

/** What kafkajs writes before the body: size, API key and version, correlation id, client id. */
const ROOM_BEFORE = 512;

/** Bytes of an arena with room before them, in the shape in which kafkajs looks at an encoder. */
interface Placed {
  readonly buf: Buffer;
  readonly buffer: Buffer;
  readonly whole: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Produce request, versions 3 to 7: https://kafka.apache.org/protocol#The_Messages_Produce */
function encodeProduce({ acks, timeout, topicData }: ProduceRequest, arena: Arena): Placed {
  arena.reserve(ROOM_BEFORE);
  arena.length += ROOM_BEFORE;
  const from = arena.length;
  writeInt16(arena, -1); // no transactional id
  writeInt16(arena, acks);
  writeInt32(arena, timeout);
  writeInt32(arena, topicData.length);
  for (const { topic, partitions } of topicData) {
    const name = Buffer.from(topic);
    writeInt16(arena, name.length);
    arena.reserve(name.length);
    arena.length += name.copy(arena.buffer, arena.length);
    writeInt32(arena, partitions.length);
    for (const { partition, messages } of partitions) {
      const batch = messages[0]?.[PREPARED];
      if (batch === undefined || messages.length !== 1)
        throw new Error('one prepared record batch a partition');
      writeInt32(arena, partition);
      const sizeAt = arena.length;
      writeInt32(arena, 0);
      batch.write(arena);
      arena.buffer.writeInt32BE(arena.length - sizeAt - 4, sizeAt);
    }
  }
  const { buffer: whole, length: to } = arena;
  const bytes = whole.subarray(from, to);
  return { buf: bytes, buffer: bytes, whole, from, to };
}

function writeInt16(arena: Arena, value: number): void {
  arena.reserve(2);
  arena.length = arena.buffer.writeInt16BE(value, arena.length);
}

function writeInt32(arena: Arena, value: number): void {
  arena.reserve(4);
  arena.length = arena.buffer.writeInt32BE(value, arena.length);
}

/**
 * kafkajs puts a request together inside out, and copies the body into a new buffer at each of its layers. Where there is
 * room before the body, what comes before it is written there instead.
 */
function prependInPlace(): void {
  const Encoder = require('kafkajs/src/protocol/encoder.js');
  const { writeEncoder } = Encoder.prototype;
  Encoder.prototype.writeEncoder = function (
    this: { -readonly [Member in keyof Placed]: Placed[Member] } & { offset: number },
    value: Placed,
  ) {
    const { whole, from, to } = value;
    if (whole === undefined || from < this.offset) return writeEncoder.call(this, value);
    this.whole = whole;
    this.from = from - this.offset;
    this.to = to;
    this.buf.copy(whole, this.from, 0, this.offset);
    this.buf = whole.subarray(this.from, to);
    this.offset = this.buf.length;
    return this;
  };
}

/** Lets fetched clicks be read when they are asked for; what is not plain is decoded as ever. */
function readPlainBatches(): void {
  const { requests } = require('kafkajs/src/protocol/requests/index.js');
  const { protocol } = requests.Fetch;
  requests.Fetch.protocol = (wanted: { version: number }) => {
    const create = protocol(wanted);
    if (wanted.version !== 11) return create;
    return (fetch: unknown) => {
      const created = create(fetch);
      const decode = async (bytes: Buffer) =>
        decodeFetchResponse(bytes) ?? created.response.decode(bytes);
      return { ...created, response: { ...created.response, decode } };
    };
  };
}

/**
 * kafkajs schedules a look at its queue after every response, with a delay of -1 minus the time of day where no throttle
 * is in force: Node 24 warns of each first one. Nothing has to be looked at when nothing waits.
 */
function waitOnlyForWhatIsPending(): void {
  const RequestQueue = require('kafkajs/src/network/requestQueue/index.js');
  RequestQueue.prototype.scheduleCheckPendingRequests = function (this: {
    pending: unknown[];
    throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    checkPendingRequests(): void;
  }) {
    if (this.pending.length === 0 || this.throttleCheckTimeoutId) return;
    const throttledMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledMs > 0 ? throttledMs : 10,
    );
  };
}
