import type { Logger } from '@gatepost/service-kit';
import type { Kafka, Producer } from 'kafkajs';
import { Arena } from './arena.ts';
import type { RecordedClick } from './click.ts';
import { DeliveryRefused } from './click-outbox.ts';
import { CLICK_TOPICS, type ClickTopics, prepareClickTopics } from './kafka-connection.ts';
import { partitionOf } from './kafka-partition.ts';
import { ClickBatchEncoder } from './kafka-record-batch.ts';
import { type PreparedMessage, prepareMessage } from './kafkajs-seam.ts';
import type { ClickDelivery } from './outbox-click-sink.ts';

export interface KafkaDeliveryOptions {
  readonly kafka: Kafka;
  readonly logger: Logger;
  /** `ce_source` of the events. */
  readonly source: string;
  /** Partitions of the topic when it has to be created. */
  readonly partitions: number;
  readonly topics?: ClickTopics;
}

/** What the broker will not take however often it is sent. */
const REFUSALS = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

/**
 * Publishes clicks to Kafka: key = code, acknowledged by all in-sync replicas. After a failure it begins anew with fresh
 * connections: kafkajs goes on writing to one that the network has forgotten.
 */
export class KafkaClickDelivery implements ClickDelivery {
  private readonly encoder: ClickBatchEncoder;
  private readonly topics: ClickTopics;
  private partitions = 0;
  private arena = new Arena();
  private producer: Promise<Producer> | undefined;

  constructor(private readonly options: KafkaDeliveryOptions) {
    this.encoder = new ClickBatchEncoder(options.source);
    this.topics = options.topics ?? CLICK_TOPICS;
  }

  readonly deliver = async (clicks: readonly RecordedClick[]): Promise<void> => {
    try {
      this.producer ??= this.connect();
      const producer = await this.producer;
      this.arena.clear();
      const messages = this.toMessages(clicks);
      const topic = this.topics.clicks;
      const sent = await producer.send({ topic, messages, acks: -1, timeout: 5_000 });
      // A partition that the topic no longer has (it was made anew) is skipped by the library in silence.
      const acknowledged = new Set(sent.map(({ partition }) => partition));
      if (messages.some(({ partition }) => !acknowledged.has(partition)))
        throw new Error('the brokers did not acknowledge every partition');
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== undefined) throw new DeliveryRefused(refusal, { cause: error });
      void this.close();
      // A connection that was given up may still be sending from the old one.
      this.arena = new Arena();
      throw error;
    }
  };

  /** The next delivery, if there is one, connects again. */
  async close(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    // What cannot even be closed is left to the system.
    await producer?.then((opened) => opened.disconnect()).catch(() => undefined);
  }

  private toMessages(clicks: readonly RecordedClick[]): PreparedMessage[] {
    const byPartition = new Map<number, RecordedClick[]>();
    for (const click of clicks) {
      const partition = partitionOf(click.event.code, this.partitions);
      const others = byPartition.get(partition);
      if (others) others.push(click);
      else byPartition.set(partition, [click]);
    }
    return [...byPartition].map(([partition, those]) =>
      prepareMessage(partition, this.arena, (arena) => this.encoder.encode(those, arena)),
    );
  }

  private async connect(): Promise<Producer> {
    const { kafka, partitions, logger } = this.options;
    this.partitions = await prepareClickTopics(kafka, { partitions, logger, topics: this.topics });
    const producer = kafka.producer({
      allowAutoTopicCreation: false,
      // Each message names its partition; what the library knows of the topic is kept for the next batch.
      createPartitioner: () => {
        return ({ message, partitionMetadata }) => {
          this.partitions = partitionMetadata.length;
          return message.partition as number;
        };
      },
    });
    await producer.connect();
    return producer;
  }
}

/** Why the broker will not take the messages however often they are sent; undefined for any other failure. */
function refusalOf(error: unknown): string | undefined {
  const { type, cause } = error as { type?: string; cause?: { type?: string } };
  return [type, cause?.type].find((name) => name !== undefined && REFUSALS.has(name));
}
