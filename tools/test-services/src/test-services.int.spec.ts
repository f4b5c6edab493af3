import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { describeWith } from './describe-with.ts';
import { kafkaBrokers, startKafka } from './kafka.ts';
import { createTestDatabase } from './postgres.ts';
import { redisUrl, startRedis } from './redis.ts';
import { askPort } from './server-process.ts';

describeWith(['postgres'], 'a test database', () => {
  it('is empty, takes statements and is gone after drop', async () => {
    const { url, drop } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      "SELECT count(*)::int AS tables FROM information_schema.tables WHERE table_schema = 'public'",
    );
    expect(rows).toEqual([{ tables: 0 }]);
    await client.query('CREATE TABLE kept (id int)');
    await client.end();
    await drop();
    const gone = new pg.Client({ connectionString: url });
    await expect(gone.connect()).rejects.toThrow(/does not exist/);
  });
});

describeWith(['redis', 'redis-server'], 'Redis', () => {
  const ping = async (port: number): Promise<string | undefined> =>
    (await askPort('127.0.0.1', port, 'PING\r\n'))?.toString();

  it('answers at the shared address', async () => {
    expect(await ping(Number(new URL(redisUrl()).port))).toBe('+PONG\r\n');
  });

  it('dies and comes back on the same port as a private server', async () => {
    const redis = await startRedis({ args: ['--maxmemory', '16mb'] });
    try {
      const first = redis.pid;
      await redis.kill();
      expect(await ping(redis.port)).toBeUndefined();
      await redis.restart();
      expect(redis.pid).not.toBe(first);
      expect(await ping(redis.port)).toBe('+PONG\r\n');
      redis.pause();
      expect(await ping(redis.port)).toBeUndefined();
      redis.resume();
      expect(await ping(redis.port)).toBe('+PONG\r\n');
    } finally {
      await redis.stop();
    }
  });
});

describeWith(['kafka', 'kafka-server'], 'Kafka', () => {
  const connect = (brokers: string[]): Kafka => new Kafka({ brokers, logLevel: logLevel.NOTHING });

  it('takes and gives messages at the shared address', async () => {
    const kafka = connect(kafkaBrokers());
    const topic = `smoke-${process.pid}-${Date.now()}`;
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 2 }], waitForLeaders: true });
    const producer = kafka.producer({ idempotent: true });
    await producer.connect();
    await producer.send({ topic, messages: [{ key: 'a', value: '1' }] });
    const consumer = kafka.consumer({ groupId: topic });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const value = await new Promise((resolve) => {
      void consumer.run({ eachMessage: async ({ message }) => resolve(message.value?.toString()) });
    });
    expect(value).toBe('1');
    await Promise.all([consumer.disconnect(), producer.disconnect()]);
    await admin.deleteTopics({ topics: [topic] });
    await admin.disconnect();
  }, 30_000);

  it('keeps its topics over the death of a private broker', async () => {
    const broker = await startKafka();
    try {
      const admin = connect(broker.brokers).admin();
      await admin.connect();
      await admin.createTopics({ topics: [{ topic: 'kept' }], waitForLeaders: true });
      await admin.disconnect();
      await broker.kill();
      await broker.restart();
      const again = connect(broker.brokers).admin();
      await again.connect();
      expect(await again.listTopics()).toContain('kept');
      await again.disconnect();
    } finally {
      await broker.stop();
    }
  }, 60_000);
});
