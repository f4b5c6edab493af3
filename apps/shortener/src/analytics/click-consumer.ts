import { isUnreachable } from '@gatepost/postgres';
import type { Logger, Tracing } from '@gatepost/service-kit';
import type { Batch, Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { ClickTopics } from '../clicks/kafka-connection.ts';
import { beginAnewAt, type FetchedBatch, type Position, placeBatch } from './batch-position.ts';
import type { ClickRollup } from './click-rollup.ts';
import { MessageCounter } from './message-counter.ts';
import { PositionMoved, type RollupRepository } from './rollup.repository.ts';
import { TopicLog } from './topic-log.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

export interface ClickConsumerOptions {
  readonly kafka: Kafka;
  readonly rollup: ClickRollup;
  readonly rollups: RollupRepository;
  readonly metrics: WorkerMetrics;
  readonly logger: Logger;
  /** Absent: no traces. */
  readonly tracing?: Tracing;
  readonly topics: ClickTopics;
  readonly groupId: string;
  /** Partitions counted at the same time, each on a database connection of its own. */
  readonly concurrency: number;
  /** How long the others wait for a worker that fell silent before they take its partitions over. */
  readonly sessionTimeoutMs: number;
  /** Makes the topics where they are missing; a consumer cannot wait for them. */
  readonly prepare?: () => Promise<unknown>;
}

const RESTART_PAUSE_MS = 2_000;
const DATABASE_PAUSE_MS = 500;
const COMMIT_EVERY_MS = 5_000;

/**
 * Counts what Kafka delivers. The position lives in the database, next to the counts; what is committed to Kafka is for
 * its lag monitors, and for a first guess where to fetch from.
 */
export class ClickConsumer {
  private readonly positions = new Map<number, Position>();
  private readonly counter: MessageCounter;
  private readonly log: TopicLog;
  private consumer: Consumer | undefined;
  private cluster = '';
  private commitTimer: NodeJS.Timeout | undefined;
  private restartTimer: NodeJS.Timeout | undefined;
  private isStopping = false;

  constructor(private readonly options: ClickConsumerOptions) {
    const { kafka, topics } = options;
    this.log = new TopicLog(kafka, topics.clicks);
    this.counter = new MessageCounter(options);
  }

  /** A member that misses three of them is taken for dead. */
  private get heartbeatMs(): number {
    return Math.min(2_000, this.options.sessionTimeoutMs / 4);
  }

  get isRunning(): boolean {
    return this.consumer !== undefined;
  }

  /** Begins, and begins again after whatever ends it, until `stop`. */
  async start(): Promise<void> {
    const { kafka, topics, groupId, concurrency, sessionTimeoutMs } = this.options;
    try {
      await this.options.prepare?.();
      this.cluster = await this.log.readClusterId();
      const consumer = kafka.consumer({
        groupId,
        sessionTimeout: sessionTimeoutMs,
        // Members have this long to finish the batch at hand, and count as absent if they do not.
        rebalanceTimeout: Math.max(20_000, sessionTimeoutMs),
        heartbeatInterval: this.heartbeatMs,
        // Waiting for a little more costs a fraction of a second and saves transactions.
        minBytes: 64 * 1024,
        maxWaitTimeInMs: 200,
        maxBytesPerPartition: 4 * 1024 * 1024,
        maxBytes: 16 * 1024 * 1024,
        retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 2_000 },
      });
      consumer.on(consumer.events.GROUP_JOIN, ({ payload }) =>
        this.takeOver(payload.memberAssignment[topics.clicks] ?? []),
      );
      // kafkajs begins again after some failures and stays silent for ever after others.
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        this.options.metrics.restarts.inc();
        if (!payload.restart) this.restartSoon(payload.error);
      });
      await consumer.connect();
      await consumer.subscribe({ topic: topics.clicks, fromBeginning: true });
      this.consumer = consumer;
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: concurrency,
        eachBatch: (payload) => this.countBatch(payload),
      });
      this.commitTimer = setInterval(() => void this.commitToKafka(), COMMIT_EVERY_MS);
    } catch (error) {
      this.restartSoon(error);
    }
  }

  /** Finishes the batches at hand. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.restartTimer);
    await this.close();
    await this.counter.close();
  }

  private async close(): Promise<void> {
    clearInterval(this.commitTimer);
    const { consumer } = this;
    this.consumer = undefined;
    if (consumer === undefined) return;
    await consumer.stop();
    await this.commitToKafka(consumer);
    await consumer.disconnect();
  }

  private restartSoon(error: unknown): void {
    if (this.isStopping) return;
    this.options.logger.warn({ err: error }, 'the consumer of clicks stopped, it begins again');
    clearTimeout(this.restartTimer);
    this.restartTimer = setTimeout(() => {
      void this.close()
        .catch(() => undefined) // it is thrown away, and broken already
        .then(() => this.start());
    }, RESTART_PAUSE_MS);
  }

  /** New partitions are begun where the counts stand, whatever Kafka remembers. */
  private takeOver(partitions: readonly number[]): void {
    this.positions.clear();
    this.options.metrics.lag.reset();
    for (const partition of partitions) {
      this.positionOf(partition)
        .then(({ next }) => this.seek(partition, next))
        .catch(() => undefined); // the first batch asks again
    }
  }

  private async countBatch(payload: EachBatchPayload): Promise<void> {
    const { heartbeat, isRunning, isStale } = payload;
    // kafkajs gives a sign of life between batches alone: a database that takes its time would cost the partitions. What a
    // heartbeat here has to complain of, the one after the batch is told again.
    const pulse = setInterval(() => void heartbeat().catch(() => undefined), this.heartbeatMs);
    try {
      while (isRunning() && !isStale()) if (await this.tryToCount(payload)) return;
    } finally {
      clearInterval(pulse);
    }
  }

  /** Whether the batch is done with. Throws when it has to be fetched again. */
  private async tryToCount(payload: EachBatchPayload): Promise<boolean> {
    const { batch, heartbeat } = payload;
    try {
      await this.countPlaced(payload);
      return true;
    } catch (error) {
      if (error instanceof PositionMoved) this.positions.delete(batch.partition);
      else if (isUnreachable(error)) await pause(DATABASE_PAUSE_MS);
      else throw error;
      // Ends here when the partition was given to another worker.
      await heartbeat();
      return false;
    }
  }

  private async countPlaced({ batch, resolveOffset, heartbeat }: EachBatchPayload): Promise<void> {
    const { metrics } = this.options;
    const { partition } = batch;
    const position = await this.positionOf(partition);
    const placement = placeBatch(position, readBounds(batch));
    if (placement.kind === 'skip') return this.seek(partition, position.next);
    if (placement.kind === 'gap') return this.closeGap(partition, position);
    if (placement.kind === 'doubt') return this.settleDoubt(partition, position);
    const first = batch.messages.findIndex(({ offset }) => BigInt(offset) >= placement.from);
    const messages = first < 0 ? [] : batch.messages.slice(first);
    const next = BigInt(batch.lastOffset()) + 1n;
    await this.counter.count(messages, {
      ...this.placeOf(partition),
      expected: position.stored,
      next,
    });
    this.positions.set(partition, { stored: next, next });
    resolveOffset(batch.lastOffset());
    metrics.lag.set({ partition }, Number(BigInt(batch.highWatermark) - next));
    await heartbeat();
  }

  private async positionOf(partition: number): Promise<Position> {
    const known = this.positions.get(partition);
    if (known) return known;
    const stored = await this.options.rollups.position(this.placeOf(partition));
    const position = { stored, next: stored ?? (await this.log.boundsOf(partition)).low };
    this.positions.set(partition, position);
    return position;
  }

  private placeOf(partition: number) {
    return { cluster: this.cluster, topic: this.options.topics.clicks, partition };
  }

  private seek(partition: number, offset: bigint): void {
    this.consumer?.seek({ topic: this.options.topics.clicks, partition, offset: String(offset) });
  }

  private async commitToKafka(consumer = this.consumer): Promise<void> {
    const topic = this.options.topics.clicks;
    const offsets = [...this.positions].flatMap(([partition, { stored }]) =>
      stored === undefined ? [] : [{ topic, partition, offset: String(stored) }],
    );
    if (offsets.length === 0) return;
    await consumer?.commitOffsets(offsets).catch((error: Error) => {
      // In the middle of a rebalance; the next one carries the same.
      this.options.logger.debug({ err: error }, 'offsets were not committed to Kafka');
    });
  }

  /** Messages are missing before a batch: fetches them, or goes on without them if the broker has deleted them. */
  private async closeGap(partition: number, position: Position): Promise<void> {
    const { metrics, logger } = this.options;
    const { low } = await this.log.boundsOf(partition);
    if (low <= position.next) return this.seek(partition, position.next);
    const lost = low - position.next;
    metrics.lost.inc(Number(lost));
    logger.error({ partition, lost: `${lost}` }, 'clicks were deleted before they were counted');
    this.positions.set(partition, { stored: position.stored, next: low });
    this.seek(partition, low);
  }

  /**
   * The log seems shorter than what was counted of it. If it is, the topic was made anew, or a broker lost its end: what is
   * older than the last count was counted, what is younger is counted from here on, and refused where its id is known.
   */
  private async settleDoubt(partition: number, position: Position): Promise<void> {
    const { rollups, logger } = this.options;
    const { high } = await this.log.boundsOf(partition);
    if (position.stored === undefined || high >= position.stored)
      return this.seek(partition, position.next);
    const countedAt = await rollups.countedAt(this.placeOf(partition));
    const next = await this.log.offsetAt(partition, beginAnewAt(countedAt, Date.now()));
    logger.warn(
      { partition, counted: `${position.stored}`, next: `${next}` },
      'the log of clicks is shorter than it was',
    );
    this.positions.set(partition, { stored: position.stored, next });
    this.seek(partition, next);
  }
}

function readBounds(batch: Batch): FetchedBatch {
  // `fetchedOffset` is not in the types of kafkajs; without it a lost message and an early fetch would look the same.
  const { fetchedOffset } = batch as Batch & { readonly fetchedOffset: string };
  const lastOffset = BigInt(batch.lastOffset());
  return {
    fetchedOffset: BigInt(fetchedOffset),
    firstOffset: BigInt(batch.firstOffset() ?? lastOffset),
    lastOffset,
    highWatermark: BigInt(batch.highWatermark),
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
