import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CLICK_DEAD_LETTER_TOPIC, CLICK_TOPIC } from '@gatepost/contracts';
import type { Logger } from '@gatepost/service-kit';
import { type ISocketFactory, Kafka, type logCreator, logLevel, type SASLOptions } from 'kafkajs';
import './kafkajs-seam.ts';
import type { ClicksEnv } from './clicks-environment.ts';

export interface KafkaOptions {
  readonly env: Pick<
    ClicksEnv,
    'KAFKA_TLS' | 'KAFKA_SASL_MECHANISM' | 'KAFKA_USERNAME' | 'KAFKA_PASSWORD'
  > & { readonly KAFKA_BROKERS: readonly string[] };
  readonly clientId: string;
  readonly logger: Logger;
  /** Opens the connections; absent: TCP or TLS. */
  readonly openSocket?: ISocketFactory;
}

/** The door to the brokers. Nothing is dialled yet. */
export function openKafka({ env, clientId, logger, openSocket }: KafkaOptions): Kafka {
  const sasl = saslOf(env);
  return new Kafka({
    clientId,
    brokers: [...env.KAFKA_BROKERS],
    ssl: env.KAFKA_TLS,
    ...(sasl ? { sasl } : {}),
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: logLevel.WARN,
    logCreator: logTo(logger),
    socketFactory: openSocket ?? dial,
  });
}

/** As kafkajs dials, but without Nagle's delay. */
const dial: ISocketFactory = ({ host, port, ssl, onConnect }): Socket => {
  const socket = ssl
    ? connectTls({ host, port, servername: host, ...ssl }, onConnect)
    : connectTcp({ host, port }, onConnect);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
  return socket;
};

function saslOf(env: KafkaOptions['env']): SASLOptions | undefined {
  const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password = '' } = env;
  return username === undefined
    ? undefined
    : { mechanism: env.KAFKA_SASL_MECHANISM as 'plain', username, password };
}

/** kafkajs calls many things errors that it repairs itself a moment later: they are warnings here. */
function logTo(logger: Logger): logCreator {
  return () =>
    ({ level, namespace, log }) => {
      const { message, timestamp: _timestamp, logger: _logger, ...details } = log;
      const write = level <= logLevel.WARN ? 'warn' : 'debug';
      logger[write]({ kafka: { namespace, ...details } }, message);
    };
}

const DAY_MS = 86_400_000;

/**
 * Creates the topics where they are missing. A click holds a visitor's address, so its topic forgets after a week; where
 * the brokers do not let us create topics, their operator does. Returns how many partitions the clicks have.
 */
export async function prepareClickTopics(
  kafka: Kafka,
  options: { partitions: number; logger: Logger; topics?: ClickTopics },
): Promise<number> {
  const { clicks, deadLetters } = options.topics ?? CLICK_TOPICS;
  const admin = kafka.admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const missing = [
      topicOf(clicks, options.partitions, 7 * DAY_MS),
      topicOf(deadLetters, 1, 30 * DAY_MS),
    ].filter(({ topic }) => !existing.has(topic));
    if (missing.length > 0)
      await admin.createTopics({ topics: missing, waitForLeaders: true }).catch((error: Error) => {
        options.logger.warn({ err: error }, 'the topics of clicks could not be created');
      });
    const { topics } = await admin.fetchTopicMetadata({ topics: [clicks] });
    const count = topics[0]?.partitions.length ?? 0;
    if (count === 0) throw new Error(`the topic ${clicks} has no partitions`);
    return count;
  } finally {
    await admin.disconnect();
  }
}

/** Names of the two topics; specs use others. */
export interface ClickTopics {
  readonly clicks: string;
  readonly deadLetters: string;
}

export const CLICK_TOPICS: ClickTopics = {
  clicks: CLICK_TOPIC,
  deadLetters: CLICK_DEAD_LETTER_TOPIC,
};

function topicOf(topic: string, numPartitions: number, retentionMs: number) {
  return {
    topic,
    numPartitions,
    configEntries: [
      { name: 'retention.ms', value: String(retentionMs) },
      // A cluster that compresses everything anew would do it in ways that kafkajs cannot read.
      { name: 'compression.type', value: 'producer' },
    ],
  };
}
