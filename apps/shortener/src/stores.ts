import { type Database, openDatabase, openPool, type Pool } from '@gatepost/postgres';
import type { ServiceParts } from '@gatepost/service-kit';
import type { Redis } from 'ioredis';
import type { ShortenerEnv } from './env.ts';
import { openRedis } from './redirect/redis-connection.ts';

/** Every connection the service holds. */
export interface Stores {
  readonly database: Database;
  /** Of its own, small and impatient: redirects go on when creates and listings hold every other connection. */
  readonly lookups: Pool;
  /** Absent without REDIS_URL. */
  readonly redis: Redis | undefined;
  /** A connection in subscriber mode can do nothing else. */
  readonly subscriber: Redis | undefined;
  close(): Promise<void>;
}

export async function openStores(parts: ServiceParts<ShortenerEnv>): Promise<Stores> {
  const { env, logger, readiness } = parts;
  const onError = (error: Error) => logger.warn({ err: error }, 'a database connection broke');
  const database = await openDatabase({
    url: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    database: 'shortener',
    applicationName: 'shortener',
    maxConnections: env.DATABASE_POOL,
    connectTimeoutMs: 2_000,
    statementTimeoutMs: 5_000,
    answerTimeoutMs: 6_000,
    onError,
    log: (line) => logger.debug(line),
  });
  const lookups = openPool({
    url: database.url,
    applicationName: 'shortener-redirect',
    maxConnections: 6,
    statementTimeoutMs: 1_000,
    answerTimeoutMs: 1_500,
    connectTimeoutMs: 1_000,
    onError,
  });
  const redis = env.REDIS_URL ? openRedis(env.REDIS_URL, 'shortener', logger) : undefined;
  const subscriber = env.REDIS_URL
    ? openRedis(env.REDIS_URL, 'shortener-subscriber', logger)
    : undefined;
  readiness.watch('postgres', async () => {
    await lookups.query('SELECT 1');
    return { up: true };
  });
  if (redis) readiness.watch('redis', () => ({ up: redis.status === 'ready' }));
  return {
    database,
    lookups,
    redis,
    subscriber,
    close: async () => {
      redis?.disconnect();
      subscriber?.disconnect();
      await lookups.end();
      await database.close();
    },
  };
}
