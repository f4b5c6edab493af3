import { randomUUID } from 'node:crypto';
import { createLogger, createMetrics, type Registry } from '@gatepost/service-kit';
import { describeWith, kafkaBrokers } from '@gatepost/test-services';
import { CompressionTypes, ConfigResourceTypes, type Kafka } from 'kafkajs';
import type { RecordedClick } from '../clicks/click.ts';
import { EventIds } from '../clicks/event-id.ts';
import { KafkaClickDelivery } from '../clicks/kafka-click-delivery.ts';
import { type ClickTopics, openKafka, prepareClickTopics } from '../clicks/kafka-connection.ts';
import { environment } from '../env.ts';
import { BreakableNetwork } from '../testing/breakable-network.ts';
import { type MigratedDatabase, openMigratedDatabase } from '../testing/migrated-database.ts';
import { poll } from '../testing/poll.ts';
import { TopicReader } from '../testing/topic-reader.ts';
import { ClickConsumer } from './click-consumer.ts';
import { openClickRollup } from './open-click-rollup.ts';
import { RollupRepository } from './rollup.repository.ts';
import { WorkerMetrics } from './worker-metrics.ts';

const logger = createLogger({ name: 'spec', level: 'silent' });
const ids = new EventIds();
const PARTITIONS = 4;

function clicksOf(count: number): RecordedClick[] {
  return Array.from({ length: count }, (_, number) => {
    const time = Date.now() - number;
    return {
      id: ids.eventId(time),
      time,
      traceparent: ids.traceparent(),
      event: {
        code: `AbC12${10 + (number % 40)}`,
        timestamp: new Date(time).toISOString(),
        ip: `203.0.113.${number % 100}`,
        referrer: null,
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
      },
    };
  });
}

describeWith(['postgres', 'kafka'], 'the worker', () => {
  let database: MigratedDatabase;
  let kafka: Kafka;
  let topics: ClickTopics;
  let delivery: KafkaClickDelivery;
  let groupId: string;
  const running: ClickConsumer[] = [];

  const env = () => environment.parse({ KAFKA_BROKERS: kafkaBrokers().join(',') });

  beforeAll(async () => {
    database = await openMigratedDatabase();
  });

  afterAll(() => database.close());

  beforeEach(async () => {
    await database.empty();
    const clicks = `clicks-${randomUUID()}`;
    topics = { clicks, deadLetters: `${clicks}-dead` };
    groupId = `group-${randomUUID()}`;
    kafka = openKafka({ env: env(), clientId: 'spec', logger });
    await prepareClickTopics(kafka, { partitions: PARTITIONS, logger, topics });
    delivery = new KafkaClickDelivery({
      kafka,
      logger,
      source: 'spec',
      partitions: PARTITIONS,
      topics,
    });
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((consumer) => consumer.stop()));
    await delivery.close();
  });

  async function startWorker(over: { kafka?: Kafka; metrics?: Registry } = {}) {
    const consumer = new ClickConsumer({
      kafka: over.kafka ?? kafka,
      rollup: await openClickRollup(env(), database.pool),
      rollups: new RollupRepository(database.pool),
      metrics: new WorkerMetrics(over.metrics ?? createMetrics('spec')),
      logger,
      topics,
      groupId,
      concurrency: 2,
      sessionTimeoutMs: 10_000,
    });
    running.push(consumer);
    await consumer.start();
    return consumer;
  }

  const counted = async () => {
    const { rows } = await database.pool.query<{ counted: number }>(
      'SELECT COALESCE(sum(humans + bots), 0)::int AS counted FROM click_days',
    );
    return rows[0]?.counted ?? 0;
  };
  const becomes = (expected: number) => poll(counted, (seen) => seen >= expected, 60_000);
  const sumOf = async (metrics: Registry, name: string, labels: Record<string, string> = {}) => {
    const { values } = (await metrics.getSingleMetric(name)?.get()) ?? { values: [] };
    return values
      .filter((value) =>
        Object.entries(labels).every(([label, text]) => value.labels[label] === text),
      )
      .reduce((total, { value }) => total + value, 0);
  };

  it('counts every click that Kafka acknowledged, and knows where it is', async () => {
    const metrics = createMetrics('spec');
    await delivery.deliver(clicksOf(1_000));
    await startWorker({ metrics });
    await delivery.deliver(clicksOf(500));
    await becomes(1_500);
    const { rows } = await database.pool.query(
      'SELECT sum(next_offset)::int AS next FROM click_offsets',
    );
    expect(rows).toEqual([{ next: 1_500 }]);
    expect(await counted()).toBe(1_500);
    expect(await sumOf(metrics, 'click_worker_events_total', { result: 'counted' })).toBe(1_500);
    expect(await sumOf(metrics, 'click_worker_lag_events')).toBe(0);
  });

  it('counts a batch that a producer sent twice once', async () => {
    const metrics = createMetrics('spec');
    const clicks = clicksOf(300);
    await delivery.deliver(clicks);
    await delivery.deliver(clicks);
    await startWorker({ metrics });
    await poll(
      () => sumOf(metrics, 'click_worker_events_total'),
      (seen) => seen >= 600,
    );
    expect(await counted()).toBe(300);
    expect(await sumOf(metrics, 'click_worker_events_total', { result: 'duplicate' })).toBe(300);
  });

  it('goes on where its predecessor stopped, whatever Kafka remembers', async () => {
    await delivery.deliver(clicksOf(400));
    const first = await startWorker();
    await becomes(400);
    await first.stop();
    running.pop();
    // Kafka's own memory of the group, both ways wrong.
    const admin = kafka.admin();
    await admin.connect();
    for (const offset of ['0', '1000000']) {
      await admin.setOffsets({
        groupId,
        topic: topics.clicks,
        partitions: Array.from({ length: PARTITIONS }, (_, partition) => ({ partition, offset })),
      });
      const before = await counted();
      await delivery.deliver(clicksOf(100));
      const next = await startWorker();
      expect(await becomes(before + 100)).toBe(before + 100);
      await next.stop();
      running.pop();
    }
    await admin.disconnect();
    expect(await counted()).toBe(600);
  }, 120_000);

  it('counts all that there is into a new database, although Kafka remembers the old one', async () => {
    await delivery.deliver(clicksOf(2_000));
    const admin = kafka.admin();
    await admin.connect();
    await admin.setOffsets({
      groupId,
      topic: topics.clicks,
      partitions: Array.from({ length: PARTITIONS }, (_, partition) => ({
        partition,
        offset: '200',
      })),
    });
    await admin.disconnect();
    const metrics = createMetrics('spec');
    await startWorker({ metrics });
    await becomes(2_000);
    expect(await counted()).toBe(2_000);
    expect(await sumOf(metrics, 'click_worker_lost_events_total')).toBe(0);
  });

  it('stays exact while workers come and go', async () => {
    await startWorker();
    let sent = 0;
    for (let round = 0; round < 4; round++) {
      await delivery.deliver(clicksOf(500));
      sent += 500;
      const extra = await startWorker();
      await delivery.deliver(clicksOf(500));
      sent += 500;
      if (round % 2 === 1) {
        await extra.stop();
        running.pop();
      }
    }
    await becomes(sent);
    await delivery.deliver(clicksOf(100));
    await becomes(sent + 100);
    expect(await counted()).toBe(sent + 100);
  }, 180_000);

  it('counts what other producers compress or send in transactions, and nothing of one that was aborted', async () => {
    const toMessage = ({ id, event }: RecordedClick) => ({
      partition: 0,
      key: event.code,
      value: JSON.stringify(event),
      headers: { ce_id: id },
    });
    const topic = topics.clicks;
    await delivery.deliver(clicksOf(40));
    const plain = kafka.producer({ allowAutoTopicCreation: false });
    await plain.connect();
    const messages = clicksOf(30).map(toMessage);
    await plain.send({ topic, messages, compression: CompressionTypes.GZIP });
    await plain.disconnect();
    const transactional = kafka.producer({
      transactionalId: `spec-${randomUUID()}`,
      maxInFlightRequests: 1,
      idempotent: true,
    });
    await transactional.connect();
    for (const isKept of [false, true, false]) {
      const transaction = await transactional.transaction();
      await transaction.send({ topic, messages: clicksOf(20).map(toMessage) });
      await (isKept ? transaction.commit() : transaction.abort());
    }
    await transactional.disconnect();
    await startWorker();
    await becomes(90);
    // Behind the markers that end the log so far.
    await delivery.deliver(clicksOf(40));
    await becomes(130);
    expect(await counted()).toBe(130);
  }, 60_000);

  it('breaks off and tries again, over and over, at a compression that the library cannot read', async () => {
    const admin = kafka.admin();
    await admin.connect();
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: topics.clicks,
          configEntries: [{ name: 'compression.type', value: 'zstd' }],
        },
      ],
    });
    await admin.disconnect();
    await delivery.deliver(clicksOf(40));
    const metrics = createMetrics('spec');
    await startWorker({ metrics });
    await poll(
      () => sumOf(metrics, 'click_worker_restarts_total'),
      (restarts) => restarts >= 2,
      30_000,
    );
    expect(await counted()).toBe(0);
  }, 60_000);

  it('puts what is no click among the dead letters, with the reason, and counts the rest', async () => {
    const metrics = createMetrics('spec');
    const producer = kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const good = clicksOf(1)[0] as RecordedClick;
    await producer.send({
      topic: topics.clicks,
      messages: [
        { partition: 0, key: 'a', value: 'not JSON', headers: { ce_id: 'x' } },
        { partition: 0, key: 'b', value: JSON.stringify({ ...good.event, code: '<script>' }) },
        { partition: 0, key: 'c', value: null },
        { partition: 0, key: 'd', value: JSON.stringify(good.event), headers: { ce_id: good.id } },
      ],
    });
    await producer.disconnect();
    await startWorker({ metrics });
    await becomes(1);
    const reader = await TopicReader.open(kafkaBrokers(), topics.deadLetters);
    const letters = await poll(
      () => reader.messages,
      ({ length }) => length >= 3,
    );
    expect(
      letters.map(({ key, value, headers }) => [
        String(key),
        value === null ? null : String(value).slice(0, 10),
        String(headers?.['dead-letter-reason']),
        String(headers?.['dead-letter-topic']) === topics.clicks,
        String(headers?.['dead-letter-offset']),
      ]),
    ).toEqual([
      ['a', 'not JSON', 'not JSON', true, '0'],
      ['b', '{"code":"<', 'code', true, '1'],
      ['c', null, 'no value', true, '2'],
    ]);
    await reader.close();
    expect(await counted()).toBe(1);
    expect(await sumOf(metrics, 'click_worker_dead_letters_total')).toBe(3);
  });

  it('finds the one click that the database refuses, and counts the others', async () => {
    await database.pool.query(
      "ALTER TABLE clicks ADD CONSTRAINT forbidden CHECK (code <> 'AbC1217')",
    );
    try {
      const metrics = createMetrics('spec');
      await delivery.deliver(clicksOf(80)); // two of them of that code
      await startWorker({ metrics });
      await poll(
        () => sumOf(metrics, 'click_worker_dead_letters_total'),
        (seen) => seen >= 2,
      );
      await becomes(78);
      expect(await counted()).toBe(78);
    } finally {
      await database.pool.query('ALTER TABLE clicks DROP CONSTRAINT forbidden');
    }
  });

  it('goes on, and says how many, when messages were deleted before they were counted', async () => {
    await delivery.deliver(clicksOf(400));
    const first = await startWorker();
    await becomes(400);
    await first.stop();
    running.pop();
    const admin = kafka.admin();
    await admin.connect();
    await delivery.deliver(clicksOf(400));
    const ends = await admin.fetchTopicOffsets(topics.clicks);
    await admin.deleteTopicRecords({
      topic: topics.clicks,
      partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
    });
    await admin.disconnect();
    await delivery.deliver(clicksOf(200));
    const metrics = createMetrics('spec');
    await startWorker({ metrics });
    await becomes(600);
    expect(await counted()).toBe(600);
    expect(await sumOf(metrics, 'click_worker_lost_events_total')).toBe(400);
  }, 60_000);

  it('begins anew with a topic that was deleted and made again', async () => {
    await delivery.deliver(clicksOf(400));
    const first = await startWorker();
    await becomes(400);
    await first.stop();
    running.pop();
    const admin = kafka.admin();
    await admin.connect();
    await admin.deleteTopics({ topics: [topics.clicks] });
    await poll(
      async () => (await admin.listTopics()).includes(topics.clicks),
      (exists) => !exists,
    );
    await admin.disconnect();
    await delivery.close();
    await poll(
      () =>
        delivery.deliver(clicksOf(40)).then(
          () => true,
          () => false,
        ),
      (isDelivered) => isDelivered,
    );
    await startWorker();
    await becomes(440);
    expect(await counted()).toBe(440);
  }, 120_000);

  it('begins again by itself when its brokers are back', async () => {
    const network = new BreakableNetwork();
    const breakable = openKafka({
      env: env(),
      clientId: 'spec',
      logger,
      openSocket: ({ host, port, onConnect }) => network.dial({ host, port }, onConnect),
    });
    const metrics = createMetrics('spec');
    await startWorker({ kafka: breakable, metrics });
    await delivery.deliver(clicksOf(50));
    await becomes(50);
    network.cut();
    await delivery.deliver(clicksOf(50));
    await poll(
      () => sumOf(metrics, 'click_worker_restarts_total'),
      (restarts) => restarts >= 1,
      60_000,
    );
    network.restore();
    await becomes(100);
    expect(await counted()).toBe(100);
  }, 120_000);
});
