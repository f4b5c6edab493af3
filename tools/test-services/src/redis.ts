import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findFreePort,
  joinServer,
  type RunningServer,
  withLock,
} from '@gatepost/embedded-postgres';
import { installPackages, isRoot, unpackPackage } from './apt.ts';
import { cacheFolder } from './cache-folder.ts';
import { runInContainer } from './container.ts';
import { type PrivateServer, startPrivateServer } from './private-server.ts';
import { findProgram, isExecutable } from './run-command.ts';
import {
  askPort,
  killServer,
  launchServer,
  type ServerCommand,
  waitUntilReady,
} from './server-process.ts';
import { addressOf, type Provided, type Say, ServiceUnavailable } from './service.ts';

/** Waits for another run that is just unpacking the program. */
const INSTALL_LOCK_MS = 600_000;

/** The one of docker-compose.yml. */
const IMAGE = 'valkey/valkey:9.0';
const WITHOUT_FILES = ['--save', '', '--appendonly', 'no'];

type RedisProgram = Pick<ServerCommand, 'program' | 'argv0' | 'env'> & {
  readonly args?: readonly string[];
};

/** The shared Redis: the one that REDIS_URL names, or one that runs as long as any test run uses it. */
export async function provideRedis(say: Say): Promise<Provided> {
  const named = process.env['REDIS_URL'];
  if (named !== undefined) return useNamedRedis(named);
  const folder = cacheFolder('redis');
  const { server, leave } = await joinServer(
    folder,
    {
      start: async (record) => {
        const port = await findFreePort();
        const command = await sharedRedisCommand(port, say);
        const began = Date.now();
        const started = await startRedisIn(command, folder, port, record);
        say(`Redis started on 127.0.0.1:${started.port} (${Date.now() - began} ms)`);
        return started;
      },
      answers: (running) => waitUntilReady(running, () => answersPing('127.0.0.1', running.port)),
      stop: killServer,
    },
    INSTALL_LOCK_MS,
  );
  return { address: `redis://127.0.0.1:${server.port}`, release: leave };
}

/** A program that suites may start and break: a container would not take their signals. */
export async function provideRedisProgram(say: Say): Promise<Provided> {
  const { program } = await findRedisProgram(say);
  return { address: program, release: async () => undefined };
}

/** The URL of the Redis that all suites share: prefix your keys. */
export function redisUrl(): string {
  return addressOf('redis');
}

/**
 * A Redis of its own for a suite that breaks it. `config` are lines of a configuration file, which a sentinel insists
 * on having: it writes there what it learns.
 */
export async function startRedis(
  options: { readonly args?: readonly string[]; readonly config?: string } = {},
): Promise<PrivateServer & { readonly url: string }> {
  const program = await findRedisProgram(() => undefined);
  const { args, config } = options;
  const server = await startPrivateServer((folder, port, record) => {
    if (config === undefined) {
      return startRedisIn(redisCommand(program, port, args), folder, port, record);
    }
    const file = join(folder, 'redis.conf');
    if (!existsSync(file)) writeFileSync(file, config);
    const command = redisCommand({ ...program, args: [file] }, port, args);
    return startRedisIn(command, folder, port, record);
  });
  return Object.assign(server, { url: `redis://127.0.0.1:${server.port}` });
}

async function useNamedRedis(url: string): Promise<Provided> {
  const { hostname, port } = new URL(url);
  if (await answersPing(hostname, Number(port || 6379)))
    return { address: url, release: async () => undefined };
  throw new ServiceUnavailable(
    `nothing answers at ${hostname}:${port || 6379}, which REDIS_URL names`,
    'unset REDIS_URL',
  );
}

/** The local program, or a container where there is none to be had. */
async function sharedRedisCommand(port: number, say: Say): Promise<ServerCommand> {
  const image = { image: IMAGE, port: 6379, args: ['valkey-server', ...WITHOUT_FILES] };
  return findRedisProgram(say).then(
    (program) => redisCommand(program, port),
    (error: unknown) => runInContainer(error, image, port, say),
  );
}

function redisCommand(
  { args: first = [], ...program }: RedisProgram,
  port: number,
  args: readonly string[] = [],
): ServerCommand {
  const address = ['--port', String(port), '--bind', '127.0.0.1'];
  return { ...program, args: [...first, ...address, ...WITHOUT_FILES, ...args] };
}

function startRedisIn(
  command: ServerCommand,
  folder: string,
  port: number,
  record: (server: RunningServer) => void,
): Promise<RunningServer> {
  const isReady = (): Promise<boolean> => answersPing('127.0.0.1', port);
  return launchServer({ command, folder, port, isReady, record });
}

/** An error answer (a password is wanted, still loading) is a Redis too, but only PONG is one that serves. */
async function answersPing(host: string, port: number): Promise<boolean> {
  const answer = (await askPort(host, port, 'PING\r\n'))?.toString() ?? '';
  return answer.startsWith('+PONG') || answer.startsWith('-NOAUTH');
}

async function findRedisProgram(say: Say): Promise<RedisProgram> {
  return (
    redisOnPath() ??
    (await withLock(cacheFolder('programs'), () => installRedis(say), INSTALL_LOCK_MS))
  );
}

function redisOnPath(): RedisProgram | undefined {
  const server = findProgram('redis-server', 'valkey-server');
  if (server !== undefined) return { program: server };
  const tools = findProgram('redis-check-rdb');
  return tools === undefined ? undefined : serverWithin(tools);
}

/**
 * Debian's redis-tools holds the server under the name of the checker; the package redis-server adds a link to it and a system
 * service on port 6379, which a test run has no business to start.
 */
function serverWithin(tools: string): RedisProgram {
  return { program: tools, argv0: 'redis-server' };
}

async function installRedis(say: Say): Promise<RedisProgram> {
  const unpacked = join(cacheFolder('programs'), 'redis');
  const found = redisOnPath() ?? unpackedRedis(unpacked);
  if (found !== undefined) return found;
  if (findProgram('apt-get') === undefined) {
    const command =
      process.platform === 'darwin'
        ? 'brew install redis'
        : 'install redis with the package manager of this system';
    throw new ServiceUnavailable('redis-server is not installed', command);
  }
  if (isRoot()) await installPackages(['redis-tools'], say);
  else await unpackRedis(unpacked, say);
  const installed = redisOnPath() ?? unpackedRedis(unpacked);
  if (installed === undefined)
    throw new ServiceUnavailable(
      'redis-tools holds no server',
      'sudo apt-get install redis-server',
    );
  return installed;
}

async function unpackRedis(folder: string, say: Say): Promise<void> {
  try {
    await unpackPackage('redis-tools', folder, say);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new ServiceUnavailable((error as Error).message, 'sudo apt-get install redis-server');
  }
}

function unpackedRedis(folder: string): RedisProgram | undefined {
  const tools = join(folder, 'usr', 'bin', 'redis-check-rdb');
  if (!isExecutable(tools)) return undefined;
  const triplet = `${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu`;
  const libraries = ['usr/lib', 'lib'].map((part) => join(folder, part, triplet)).join(':');
  return { ...serverWithin(tools), env: { LD_LIBRARY_PATH: libraries } };
}
