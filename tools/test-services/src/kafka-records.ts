import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { kafkaBrokers } from './kafka.ts';

/** A record as any other consumer would see it. */
export interface TopicRecord {
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** All that a topic of the shared brokers holds at this moment. Others may write to it as well. */
export async function readRecords(topic: string): Promise<TopicRecord[]> {
  const kafka = new Kafka({ brokers: kafkaBrokers(), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const ends = new Map<number, bigint>();
  for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
    if (BigInt(high) > BigInt(low)) ends.set(partition, BigInt(high));
  await admin.disconnect();
  const records: TopicRecord[] = [];
  if (ends.size === 0) return records;
  const consumer = kafka.consumer({ groupId: `read-${randomUUID()}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    void consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        records.push({
          key: message.key?.toString() ?? '',
          value: message.value?.toString() ?? '',
          headers: Object.fromEntries(
            Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]),
          ),
        });
        if (BigInt(message.offset) + 1n >= (ends.get(partition) ?? 0n)) ends.delete(partition);
        if (ends.size === 0) resolve();
      },
    });
  });
  await consumer.disconnect();
  return records;
}
