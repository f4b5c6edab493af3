import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  identifyProcess,
  isAlive,
  type ProcessIdentity,
  type RunningServer,
} from '@gatepost/embedded-postgres';
import { runCommand, tail } from './run-command.ts';

/** How a server program is called. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly argv0?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The container that the program runs: its name, by which it is ended. */
  readonly container?: string;
}

/** What is noted of a running server. */
export interface TestServer extends RunningServer {
  readonly runner?: string;
  readonly container?: string;
}

export interface Launch {
  readonly command: ServerCommand;
  readonly folder: string;
  readonly port: number;
  readonly isReady: () => Promise<boolean>;
  /** Told as soon as the process exists. */
  readonly record: (server: RunningServer) => void;
}

const READY_TIMEOUT_MS = 60_000;

/** Starts a server in a session of its own (Ctrl-C does not reach it) and waits until it answers. */
export async function launchServer(launch: Launch): Promise<RunningServer> {
  const log = join(launch.folder, 'server.log');
  const output = openSync(log, 'w');
  const { program, args, argv0, env, container } = launch.command;
  const child = spawn(program, args, {
    cwd: launch.folder,
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
    ...(argv0 === undefined ? {} : { argv0 }),
  });
  closeSync(output);
  child.once('error', () => undefined); // there is no pid then
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (identity !== undefined) {
    child.unref();
    const inContainer = container === undefined ? {} : { runner: program, container };
    const server: TestServer = { ...identity, port: launch.port, ...inContainer };
    launch.record(server);
    if (await waitUntilReady(server, launch.isReady)) return server;
    await killServer(server);
  }
  throw new Error(`${program} did not start: ${tail(readFileSync(log, 'utf8'))}`);
}

export async function waitUntilReady(
  server: ProcessIdentity,
  isReady: () => Promise<boolean>,
): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (isAlive(server) && Date.now() < deadline) {
    if (await isReady()) return true;
    await wait(20);
  }
  return false;
}

/** Ends it at once: nothing that a test server holds is worth a farewell. */
export async function killServer(server: ProcessIdentity & Partial<TestServer>): Promise<void> {
  if (server.container !== undefined && server.runner !== undefined) {
    await runCommand(server.runner, ['rm', '-f', server.container]).catch(() => undefined); // gone already
  }
  if (isAlive(server)) process.kill(server.pid, 'SIGKILL');
  while (isAlive(server)) await wait(5);
}

/** One exchange on a fresh connection: sends `request`, gives the first bytes that come back, or undefined. */
export function askPort(
  host: string,
  port: number,
  request: string | Buffer,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (answer?: Buffer): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => socket.write(request));
    socket.once('data', end);
    socket.once('timeout', () => end());
    socket.once('error', () => end());
    socket.once('close', () => end());
  });
}
