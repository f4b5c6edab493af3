import { flag, variable, whole } from '@gatepost/service-kit';
import { z } from 'zod';

/** The variables of clicks, statistics and archive; `env.ts` spreads them into the app's environment. */
export function clicksEnvironment() {
  return {
    KAFKA_TLS: variable(flag(false), 'Whether the brokers are spoken to over TLS'),
    KAFKA_SASL_MECHANISM: variable(
      z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).default('scram-sha-512'),
      'How `KAFKA_USERNAME` and `KAFKA_PASSWORD` are presented',
    ),
    KAFKA_USERNAME: variable(z.string().optional(), 'SASL user; absent: no SASL'),
    KAFKA_PASSWORD: variable(z.string().optional(), 'SASL password', { secret: true }),
    KAFKA_CLICK_PARTITIONS: variable(
      whole({ min: 1, max: 1_000, initially: 12 }),
      'Partitions of the click topic when this service is the one to create it',
    ),
    KAFKA_CLICK_GROUP: variable(
      z.string().min(1).max(200).default('shortener-worker'),
      'Consumer group of the workers',
    ),
    KAFKA_SESSION_TIMEOUT_MS: variable(
      whole({ min: 500, max: 300_000, initially: 10_000 }),
      'How long a worker may be silent before the others take its partitions over, ms; brokers refuse less than 6,000 unless told otherwise',
    ),
    CLICK_BUFFER_EVENTS: variable(
      whole({ min: 1_000, max: 1_000_000, initially: 50_000 }),
      'Clicks held in process while they cannot be delivered; beyond it the oldest are dropped and counted',
    ),
    CLICK_IP_MODE: variable(
      z.enum(['truncate', 'drop', 'raw']).default('truncate'),
      'What is stored of a visitor’s address: its /24 or /48, nothing, or all of it',
    ),
    CLICK_RAW_RETENTION_DAYS: variable(
      whole({ min: 0, max: 3_650, initially: 90 }),
      'Days that single clicks are kept, besides the counts, which stay; 0: they are not stored',
    ),
    CLICK_MINUTE_RETENTION_DAYS: variable(
      whole({ min: 1, max: 90, initially: 7 }),
      'Days that counts per minute are kept',
    ),
    CLICK_UNIQUES: variable(
      flag(true),
      'Whether visitors are told apart within a day, by a keyed hash whose key is destroyed',
    ),
    CLICK_DEDUPE: variable(
      flag(true),
      'Whether a click that was published twice is told by its id; off: the worker is faster, and what a producer repeats counts twice',
    ),
    CLICK_WORKER_CONNECTIONS: variable(
      whole({ min: 1, max: 64, initially: 4 }),
      'Partitions that one worker counts at the same time, each on a database connection of its own',
    ),
    COUNTRY_DATABASE: variable(
      z.string().optional(),
      'MaxMind database file (`.mmdb`) with countries; absent: countries are unknown',
    ),
    ARCHIVE_HOUR: variable(
      whole({ min: 0, max: 23, initially: 3 }),
      'Hour (UTC) of the nightly job where it is scheduled in process',
    ),
  };
}

export type ClicksEnv = z.output<z.ZodObject<ReturnType<typeof clicksEnvironment>>>;
