import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, joinServer, type RunningServer } from '@gatepost/embedded-postgres';
import { Kafka, logLevel } from 'kafkajs';
import { cacheFolder } from './cache-folder.ts';
import { runInContainer } from './container.ts';
import { findKafkaProgram, type KafkaProgram } from './kafka-program.ts';
import { type PrivateServer, startPrivateServer } from './private-server.ts';
import { elapsed, runCommand } from './run-command.ts';
import { killServer, launchServer, type ServerCommand, waitUntilReady } from './server-process.ts';
import { addressOf, type Provided, type Say, ServiceUnavailable } from './service.ts';

const INSTALL_LOCK_MS = 600_000;

/** The one of docker-compose.yml. */
const IMAGE = 'apache/kafka:4.2.0';

/** A young Java and a small heap: a broker that starts in two seconds beside everything else on a small machine. */
const JAVA_FLAGS = [
  '-Xms64m',
  '-Xmx384m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Xshare:auto',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

/** The shared broker: the one that KAFKA_BROKERS names, or one that runs as long as any test run uses it. */
export async function provideKafka(say: Say): Promise<Provided> {
  const named = process.env['KAFKA_BROKERS'];
  if (named !== undefined) return useNamedBrokers(named);
  const folder = cacheFolder('kafka');
  const { server, leave } = await joinServer(
    folder,
    {
      start: async (record) => {
        const port = await findFreePort();
        rmSync(join(folder, 'data'), { recursive: true, force: true });
        const command = await sharedKafkaCommand(folder, port, say);
        const began = Date.now();
        const started = await startKafkaIn(command, folder, port, record);
        say(`Kafka started on 127.0.0.1:${started.port} (${elapsed(began)})`);
        return started;
      },
      answers: (running) => waitUntilReady(running, () => hasBroker([`127.0.0.1:${running.port}`])),
      stop: async (running) => {
        await killServer(running);
        rmSync(join(folder, 'data'), { recursive: true, force: true });
      },
    },
    INSTALL_LOCK_MS,
  );
  return { address: `127.0.0.1:${server.port}`, release: leave };
}

/** A program that suites may start and break: a container would not take their signals. */
export async function provideKafkaProgram(say: Say): Promise<Provided> {
  const { jars } = await findKafkaProgram(say);
  return { address: jars, release: async () => undefined };
}

/** The brokers that all suites share: use topic and group names of your own. Topics are not created by themselves. */
export function kafkaBrokers(): string[] {
  return addressOf('kafka').split(',');
}

/** A broker of its own for a suite that breaks it. Its data survives `kill` and `restart`. */
export async function startKafka(): Promise<PrivateServer & { readonly brokers: string[] }> {
  const program = await findKafkaProgram(() => undefined);
  const server = await startPrivateServer((folder, port, record) =>
    kafkaCommand(program, folder, port).then((command) =>
      startKafkaIn(command, folder, port, record),
    ),
  );
  return Object.assign(server, { brokers: [`127.0.0.1:${server.port}`] });
}

async function useNamedBrokers(named: string): Promise<Provided> {
  if (await hasBroker(named.split(','))) return { address: named, release: async () => undefined };
  throw new ServiceUnavailable(
    `no broker answers at ${named}, which KAFKA_BROKERS names`,
    'unset KAFKA_BROKERS',
  );
}

/** The local program, or a container where there is none to be had. */
async function sharedKafkaCommand(folder: string, port: number, say: Say): Promise<ServerCommand> {
  return findKafkaProgram(say).then(
    (program) => kafkaCommand(program, folder, port),
    (error: unknown) =>
      runInContainer(error, { image: IMAGE, port: 9092, env: containerSettings(port) }, port, say),
  );
}

async function kafkaCommand(
  { java, jars }: KafkaProgram,
  folder: string,
  port: number,
): Promise<ServerCommand> {
  const properties = join(folder, 'server.properties');
  const data = join(folder, 'data');
  const call = (main: string, ...args: string[]): string[] => [
    ...JAVA_FLAGS,
    '-cp',
    `${jars}/*`,
    main,
    ...args,
  ];
  if (!existsSync(data)) {
    // Its data know the node by its ports, so that a restart keeps both.
    const controllerPort = await findFreePort();
    const settings = Object.entries({
      ...serverSettings(
        `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
        port,
      ),
      'controller.quorum.bootstrap.servers': `127.0.0.1:${controllerPort}`,
      'log.dirs': data,
    });
    writeFileSync(properties, settings.map(([name, value]) => `${name}=${value}\n`).join(''));
    const clusterId = randomBytes(11).toString('hex');
    const format = ['format', '--standalone', '--cluster-id', clusterId, '--config', properties];
    await runCommand(java, call('kafka.tools.StorageTool', ...format));
  }
  return { program: java, args: call('kafka.Kafka', properties) };
}

function startKafkaIn(
  command: ServerCommand,
  folder: string,
  port: number,
  record: (server: RunningServer) => void,
): Promise<RunningServer> {
  const isReady = (): Promise<boolean> => hasBroker([`127.0.0.1:${port}`]);
  return launchServer({ command, folder, port, record, isReady });
}

/** The image takes each setting as a variable: `log.dirs` is KAFKA_LOG_DIRS. */
function containerSettings(port: number): Record<string, string> {
  const settings = {
    ...serverSettings('PLAINTEXT://:9092,CONTROLLER://:9093', port),
    'controller.quorum.voters': '1@localhost:9093',
  };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      `KAFKA_${name.replaceAll('.', '_').toUpperCase()}`,
      String(value),
    ]),
  );
}

/** One node that is broker and controller (KRaft), with as few threads and partitions of its own as it takes. */
function serverSettings(
  listeners: string,
  port: number,
): Record<string, string | number | boolean> {
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    listeners,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    // A killed broker may register again when its session has run out.
    'broker.session.timeout.ms': 1_000,
    'broker.heartbeat.interval.ms': 200,
    'group.initial.rebalance.delay.ms': 0,
    // Members that a test killed are given up soon.
    'group.min.session.timeout.ms': 500,
    'num.network.threads': 2,
    'num.io.threads': 2,
    'background.threads': 2,
    'log.segment.bytes': 16 * 1024 * 1024,
    'log.cleaner.enable': false,
  };
}

/** A broker that accepts connections is not yet one that can hold topics: it must have joined its own cluster. */
async function hasBroker(brokers: string[]): Promise<boolean> {
  const kafka = new Kafka({
    brokers,
    logLevel: logLevel.NOTHING,
    connectionTimeout: 2_000,
    requestTimeout: 2_000,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length > 0;
  } catch {
    return false;
  } finally {
    await admin.disconnect();
  }
}
