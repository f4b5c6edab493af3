import { migrate, openDatabase } from '@gatepost/postgres';
import { runService, StartRefused } from '@gatepost/service-kit';
import { CLICK_TOPICS, openKafka, prepareClickTopics } from '../clicks/kafka-connection.ts';
import { environment } from '../env.ts';
import { MIGRATIONS } from '../migrate.ts';
import { ClickConsumer } from './click-consumer.ts';
import { openClickRollup } from './open-click-rollup.ts';
import { PartitionRepository } from './partition.repository.ts';
import { PartitionKeeper } from './partition-keeper.ts';
import { RollupRepository } from './rollup.repository.ts';
import { WorkerMetrics } from './worker-metrics.ts';

/** `worker`: counts what redirects publish to Kafka. Any number of them share the partitions of the topic. */
export function runWorker(): Promise<void> {
  return runService({
    name: 'shortener-worker',
    environment,
    build: async ({ env, logger, metrics, readiness, tracing }) => {
      if (env.KAFKA_BROKERS.length === 0)
        throw new StartRefused(
          'Without KAFKA_BROKERS clicks are counted in process; there is no work for a worker.',
        );
      const database = await openDatabase({
        url: env.DATABASE_URL,
        dataDir: env.DATA_DIR,
        database: 'shortener',
        applicationName: 'shortener-worker',
        maxConnections: env.CLICK_WORKER_CONNECTIONS + 2,
        statementTimeoutMs: 60_000,
        // Whoever takes over from a worker that froze waits for the position that it holds.
        silenceTimeoutMs: 10_000,
        onError: (error) => logger.warn({ err: error }, 'a database connection broke'),
        log: (line) => logger.debug(line),
      });
      if (env.GATEPOST_ENV === 'development')
        await migrate({ url: database.url, folder: MIGRATIONS });
      const kafka = openKafka({ env, clientId: 'shortener-worker', logger });
      const partitions = new PartitionKeeper(new PartitionRepository(database.pool), env, logger);
      const consumer = new ClickConsumer({
        kafka,
        rollup: await openClickRollup(env, database.pool),
        rollups: new RollupRepository(database.pool),
        metrics: new WorkerMetrics(metrics),
        logger,
        tracing,
        topics: CLICK_TOPICS,
        groupId: env.KAFKA_CLICK_GROUP,
        concurrency: env.CLICK_WORKER_CONNECTIONS,
        sessionTimeoutMs: env.KAFKA_SESSION_TIMEOUT_MS,
        prepare: () =>
          prepareClickTopics(kafka, { partitions: env.KAFKA_CLICK_PARTITIONS, logger }),
      });
      readiness.watch('postgres', async () => {
        await database.pool.query('SELECT 1');
        return { up: true };
      });
      readiness.watch('kafka', () => ({ up: consumer.isRunning }));
      partitions.start();
      void consumer.start();
      return {
        close: async () => {
          partitions.stop();
          await consumer.stop();
          await database.close();
        },
      };
    },
  });
}
