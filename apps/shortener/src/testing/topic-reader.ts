import { randomUUID } from 'node:crypto';
import { type Consumer, Kafka, type KafkaMessage, logLevel } from 'kafkajs';

export type ReadMessage = KafkaMessage & { readonly partition: number };

/** Reads a topic from its beginning, as any consumer would, and keeps all that came. */
export class TopicReader {
  readonly messages: ReadMessage[] = [];

  private constructor(private readonly consumer: Consumer) {}

  static async open(brokers: string[], topic: string): Promise<TopicReader> {
    const kafka = new Kafka({ brokers, clientId: 'reader', logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: `reader-${randomUUID()}`, maxWaitTimeInMs: 50 });
    const reader = new TopicReader(consumer);
    await consumer.connect();
    try {
      await consumer.subscribe({ topic, fromBeginning: true });
    } catch (error) {
      await consumer.disconnect();
      throw error;
    }
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ message, partition }) => {
        const { key, value, headers, offset, timestamp, attributes } = message;
        reader.messages.push({
          key,
          value,
          headers: headers ?? {},
          offset,
          timestamp,
          attributes,
          partition,
        });
      },
    });
    return reader;
  }

  close(): Promise<void> {
    return this.consumer.disconnect();
  }
}
