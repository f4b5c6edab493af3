import { randomUUID } from 'node:crypto';
import { type ClickEvent, clickEvent, clickEventHeaders } from '@gatepost/contracts';
import { createLogger, createMetrics } from '@gatepost/service-kit';
import { describeWith, kafkaBrokers } from '@gatepost/test-services';
import { Partitioners } from 'kafkajs';
import { environment } from '../env.ts';
import { BreakableNetwork } from '../testing/breakable-network.ts';
import { poll } from '../testing/poll.ts';
import { TopicReader } from '../testing/topic-reader.ts';
import { clickOf, describeClickSink } from './click-sink.contract.ts';
import { KafkaClickDelivery } from './kafka-click-delivery.ts';
import { openKafka } from './kafka-connection.ts';
import { OutboxClickSink } from './outbox-click-sink.ts';

const logger = createLogger({ name: 'spec', level: 'silent' });
const SOURCE = 'https://go.example.com';

function openDelivery(partitions = 3) {
  const network = new BreakableNetwork();
  const clicks = `clicks-${randomUUID()}`;
  const kafka = openKafka({
    env: environment.parse({ KAFKA_BROKERS: kafkaBrokers().join(',') }),
    clientId: 'spec',
    logger,
    openSocket: ({ host, port, onConnect }) => network.dial({ host, port }, onConnect),
  });
  const delivery = new KafkaClickDelivery({
    kafka,
    logger,
    source: SOURCE,
    partitions,
    topics: { clicks, deadLetters: `${clicks}-dead` },
  });
  return { network, kafka, clicks, delivery };
}

describeWith(['kafka'], 'clicks published to Kafka', () => {
  describeClickSink(async () => {
    const { network, clicks, delivery } = openDelivery();
    let reader: TopicReader | undefined;
    return {
      delivery,
      delivered: async () => {
        try {
          reader ??= await TopicReader.open(kafkaBrokers(), clicks);
        } catch {
          return []; // the topic is made with the first click
        }
        return poll(
          () => reader?.messages.length ?? 0,
          (count) => count > 0,
          2_000,
        ).then(
          () => (reader as TopicReader).messages.map(readValue),
          () => [],
        );
      },
      cut: () => network.cut(),
      restore: () => network.restore(),
      close: async () => {
        await reader?.close();
        await delivery.close();
      },
    };
  });
});

describeWith(['kafka'], 'the messages of clicks', () => {
  it('are CloudEvents in binary mode, keyed by code, where every client of Kafka would put them', async () => {
    const { clicks, delivery } = openDelivery(5);
    const sink = new OutboxClickSink(delivery, {
      env: { CLICK_BUFFER_EVENTS: 50_000 },
      logger,
      metrics: createMetrics('spec'),
    });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    for (let number = 0; number < 300; number++)
      sink.record({
        ...clickOf(`AbC1${100 + number}`, number),
        ...(number === 7 ? { traceparent } : {}),
      });
    await sink.flush();
    const reader = await TopicReader.open(kafkaBrokers(), clicks);
    const messages = await poll(
      () => reader.messages,
      ({ length }) => length >= 300,
    );
    const partitionOf = Partitioners.DefaultPartitioner();
    const partitionMetadata = Array.from({ length: 5 }, (_, partitionId) => ({
      partitionId,
      leader: 1,
      partitionErrorCode: 0,
      replicas: [1],
      isr: [1],
    }));
    const ids = new Set<string>();
    for (const message of messages) {
      const value = clickEvent.parse(readValue(message));
      const headers = clickEventHeaders.strict().parse(headersOf(message.headers));
      expect(message.key?.toString()).toBe(value.code);
      expect(message.partition).toBe(
        partitionOf({
          topic: clicks,
          partitionMetadata,
          message: { key: message.key, value: null },
        }),
      );
      expect(headers).toMatchObject({ ce_source: SOURCE, ce_time: value.timestamp });
      expect(message.timestamp).toBe(String(Date.parse(value.timestamp)));
      ids.add(headers.ce_id);
    }
    expect(ids.size).toBe(300);
    expect(
      messages.filter(({ headers }) => headers?.['traceparent']?.toString() === traceparent),
    ).toHaveLength(1);
    await sink.onApplicationShutdown();
    await reader.close();
  });

  it('fit the brokers even if all of a long batch belong to one code', async () => {
    const { clicks, delivery } = openDelivery(1);
    const sink = new OutboxClickSink(delivery, {
      env: { CLICK_BUFFER_EVENTS: 50_000 },
      logger,
      metrics: createMetrics('spec'),
    });
    const userAgent = '"\\é'.repeat(300);
    for (let number = 0; number < 3_000; number++)
      sink.record({
        ...clickOf('AbC1234', number),
        userAgent,
        referrer: `https://x.example/${'ü'.repeat(2_000)}`,
      });
    await sink.flush();
    const reader = await TopicReader.open(kafkaBrokers(), clicks);
    await poll(
      () => reader.messages.length,
      (count) => count === 3_000,
    );
    await sink.onApplicationShutdown();
    await reader.close();
  }, 60_000);
});

function readValue(message: { value: Buffer | null }): ClickEvent {
  return JSON.parse(String(message.value));
}

function headersOf(headers: Record<string, unknown> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
}
