import { execFile, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PEERS = fileURLToPath(new URL('../peers', import.meta.url));
const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

export interface ChildServer {
  readonly url: string;
  readonly pid: number;
  /** The management door, where the program has one. */
  readonly managementUrl: string;
  stop(): Promise<void>;
}

/** Starts a program that reports `{ type: 'ready', port }` over IPC: a peer by its file name, an app by its path. */
export async function startServer(
  script: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<ChildServer> {
  const path = script.includes('/') ? `${WORKSPACE}/${script}` : `${PEERS}/${script}`;
  const child = fork(path, [...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...env },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = await new Promise<{ port: number; managementPort?: number }>((resolve, reject) => {
    child.on(
      'message',
      (message: { type: string; port: number }) => message.type === 'ready' && resolve(message),
    );
    child.once('exit', (code) =>
      reject(new Error(`${script} stopped with code ${code} before it was ready`)),
    );
  });
  return {
    url: `http://127.0.0.1:${ready.port}`,
    managementUrl: `http://127.0.0.1:${ready.managementPort ?? 0}`,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode === null) child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(force);
    },
  };
}

export interface LoadJob {
  readonly url: string;
  readonly seconds: number;
  readonly connections?: number;
  /** Requests per second of an open loop; absent: as fast as answers come. */
  readonly rate?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
  /** Statuses that count as done. */
  readonly expect?: readonly number[];
}

export interface LoadOutcome {
  readonly operations: number;
  readonly failures: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** Runs a load in a process of its own. */
export async function runLoad(job: LoadJob): Promise<LoadOutcome> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`${PEERS}/load.mjs`, JSON.stringify(job)],
    { maxBuffer: 1 << 24 },
  );
  return JSON.parse(stdout) as LoadOutcome;
}
