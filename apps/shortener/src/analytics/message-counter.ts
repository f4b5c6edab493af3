import type { Logger, Tracing } from '@gatepost/service-kit';
import type { Kafka, KafkaMessage } from 'kafkajs';
import type { ClickTopics } from '../clicks/kafka-connection.ts';
import { FetchedRecord } from '../clicks/kafka-fetched-record.ts';
import { type ClickRollup, isPartitionMissing } from './click-rollup.ts';
import { beginTraces } from './click-traces.ts';
import { type DeadLetter, DeadLetters } from './dead-letters.ts';
import {
  type ClickMessage,
  type IncomingClick,
  PoisonMessage,
  readClick,
} from './incoming-click.ts';
import type { PositionStep } from './rollup.repository.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

export interface MessageCounterOptions {
  readonly kafka: Kafka;
  readonly topics: ClickTopics;
  readonly rollup: ClickRollup;
  readonly metrics: WorkerMetrics;
  readonly logger: Logger;
  /** Absent: no traces. */
  readonly tracing?: Tracing;
}

/** One message and what became of reading it. */
interface ReadMessage {
  readonly message: KafkaMessage;
  readonly click: IncomingClick | PoisonMessage;
}

/** Counts messages: the clicks among them in one transaction with the position, the others become dead letters. */
export class MessageCounter {
  private readonly deadLetters: DeadLetters;

  constructor(private readonly options: MessageCounterOptions) {
    const { kafka, topics, logger } = options;
    this.deadLetters = new DeadLetters(kafka, {
      topic: topics.clicks,
      deadLetterTopic: topics.deadLetters,
      logger,
    });
  }

  async count(messages: readonly KafkaMessage[], step: PositionStep): Promise<void> {
    const end = beginTraces(this.options.tracing, messages, step);
    try {
      await this.countAll(messages, step);
      end();
    } catch (error) {
      end(error);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.deadLetters.close();
  }

  private async countAll(messages: readonly KafkaMessage[], step: PositionStep): Promise<void> {
    const { metrics } = this.options;
    const began = performance.now();
    const now = Date.now();
    const read = messages.map((message): ReadMessage => {
      return { message, click: readClick(toClickMessage(message, step), now) };
    });
    await this.bury(
      read.flatMap(({ message, click }) =>
        click instanceof PoisonMessage
          ? [{ partition: step.partition, message, reason: click.reason }]
          : [],
      ),
    );
    await this.countRead(read, step);
    metrics.rollupSeconds.observe((performance.now() - began) / 1000);
    metrics.batches.inc();
  }

  /** Where the database refuses the content, halves the batch until the message is found that it refuses. */
  private async countRead(read: readonly ReadMessage[], step: PositionStep): Promise<void> {
    const { rollup, metrics } = this.options;
    const clicks = read.flatMap(({ click }) => (click instanceof PoisonMessage ? [] : [click]));
    try {
      const { counted, duplicates } = await rollup.count(clicks, step);
      metrics.events.inc({ result: 'counted' }, counted);
      metrics.events.inc({ result: 'duplicate' }, duplicates);
    } catch (error) {
      if (!isContentRefused(error) || clicks.length === 0) throw error;
      const [only] = read;
      if (read.length === 1 && only) {
        const reason = `refused by the database (${(error as { code: string }).code})`;
        await this.bury([{ partition: step.partition, message: only.message, reason }]);
        return this.countRead([], step);
      }
      const middle = read.length >> 1;
      const halfway = BigInt((read[middle] as ReadMessage).message.offset);
      await this.countRead(read.slice(0, middle), { ...step, next: halfway });
      await this.countRead(read.slice(middle), { ...step, expected: halfway });
    }
  }

  private async bury(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    const { metrics } = this.options;
    await this.deadLetters.send(letters);
    for (const { reason } of letters) metrics.deadLetters.inc({ reason });
    metrics.events.inc({ result: 'dead' }, letters.length);
  }
}

function toClickMessage(message: KafkaMessage, step: PositionStep): ClickMessage {
  const place = () => `${step.cluster}/${step.topic}/${step.partition}/${message.offset}`;
  // What the seam to kafkajs reads tells these two without making the rest.
  if (message instanceof FetchedRecord)
    return { text: message.text, id: message.header('ce_id'), place };
  return {
    text: message.value?.toString() ?? null,
    id: message.headers?.['ce_id']?.toString(),
    place,
  };
}

/** SQLSTATE classes 22 (data exception) and 23 (constraint): the same content will be refused again. */
function isContentRefused(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23]/.test(code) && !isPartitionMissing(error);
}
