import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findFreePort,
  isAlive,
  type ProcessIdentity,
  type RunningServer,
} from '@gatepost/embedded-postgres';
import { cacheFolder } from './cache-folder.ts';
import { killServer } from './server-process.ts';
import { currentRun } from './service.ts';

/** A server of one suite, for tests that break it. */
export interface PrivateServer {
  readonly port: number;
  /** Of the process that runs now; another one after `restart`. */
  readonly pid: number;
  /** SIGKILL; connections break at once, new ones are refused. */
  kill(): Promise<void>;
  /** SIGSTOP: the port accepts, nobody answers. */
  pause(): void;
  resume(): void;
  /** Starts it again on the same port, after `kill`. */
  restart(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

export type Starter = (
  folder: string,
  port: number,
  record: (server: RunningServer) => void,
) => Promise<RunningServer>;

export async function startPrivateServer(start: Starter): Promise<PrivateServer> {
  const folder = cacheFolder('private', randomUUID());
  writeFileSync(join(folder, 'run.json'), JSON.stringify(currentRun()));
  const record = (running: RunningServer): void =>
    writeFileSync(join(folder, 'server.json'), JSON.stringify(running));
  let server = await start(folder, await findFreePort(), record);
  return {
    port: server.port,
    get pid() {
      return server.pid;
    },
    kill: () => killServer(server),
    pause: () => void process.kill(server.pid, 'SIGSTOP'),
    resume: () => void process.kill(server.pid, 'SIGCONT'),
    restart: async () => {
      await killServer(server);
      server = await start(folder, server.port, record);
    },
    stop: async () => {
      await killServer(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the private servers of runs that are over: killed ones, and the one of this process when it says that it `endsNow`. */
export async function sweepPrivateServers(endsNow = false): Promise<void> {
  const parent = cacheFolder('private');
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    const run = readIdentity(join(folder, 'run.json'));
    const isOver = run !== undefined && (!isAlive(run) || (endsNow && run.pid === process.pid));
    if (!isOver) continue;
    const server = readIdentity(join(folder, 'server.json'));
    if (server !== undefined) await killServer(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined; // not written yet
  }
}
