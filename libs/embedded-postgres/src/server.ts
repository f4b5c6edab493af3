import { closeSync, fstatSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, lastLines, spawnServer } from './cluster.ts';
import { canConnect } from './database.ts';
import { findFreePort } from './free-port.ts';
import type { RunningServer } from './join-server.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

/** Starts PostgreSQL on the cluster and waits until it takes connections. */
export async function startPostgres(
  cluster: Cluster,
  record: (server: RunningServer) => void,
  lastPort: number | undefined,
): Promise<RunningServer> {
  const orphan = await adoptOrphan(cluster, record);
  if (orphan !== undefined) return orphan;
  rotateLog(cluster);
  const deadline = Date.now() + START_TIMEOUT_MS;
  let port = await findFreePort(lastPort);
  for (;;) {
    const failure = await tryStart(cluster, port, record);
    if (typeof failure !== 'string') return failure;
    // The processes of a killed server let go of its memory within moments; a port can be taken between the look and the start.
    const passes = /shared memory block|could not bind|could not create any TCP/.test(failure);
    if (!passes || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start in ${cluster.folder}: ${lastLines(failure)}`);
    }
    await wait(200);
    if (!failure.includes('shared memory')) port = await findFreePort();
  }
}

/** A running server, or the log of the attempt that failed. */
async function tryStart(
  cluster: Cluster,
  port: number,
  record: (server: RunningServer) => void,
): Promise<RunningServer | string> {
  const log = openSync(cluster.log, 'a', 0o600);
  const logged = fstatSync(log).size;
  const child = spawnServer(cluster, port, log);
  closeSync(log);
  let spawnError: Error | undefined;
  child.once('error', (error) => {
    spawnError = error;
  });
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (identity !== undefined) {
    const server = { ...identity, port };
    record(server);
    child.unref();
    if (await becomesReady(cluster, server)) return server;
    await stopPostgres(server);
  }
  await wait(20); // the error event of a failed spawn comes later
  return spawnError?.message ?? readFileSync(cluster.log).subarray(logged).toString();
}

/** Waits for the word `ready` that the server writes into its postmaster.pid; false when it ends before. */
export async function becomesReady(cluster: Cluster, server: ProcessIdentity): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (isAlive(server) && Date.now() < deadline) {
    const file = readPostmasterFile(cluster);
    if (file?.pid === server.pid && file.status === 'ready') return true;
    if (file?.pid === server.pid && file.status === 'stopping') return false;
    await wait(15);
  }
  return false;
}

/** Fast shutdown: open connections are cut, everything committed is on the disk. */
export async function stopPostgres(server: ProcessIdentity): Promise<void> {
  if (await signalUntilGone(server, 'SIGINT', STOP_TIMEOUT_MS)) return;
  // Immediate shutdown: the next start replays the log.
  if (await signalUntilGone(server, 'SIGQUIT', 10_000)) return;
  throw new Error(`PostgreSQL (process ${server.pid}) does not stop.`);
}

async function signalUntilGone(
  server: ProcessIdentity,
  signal: NodeJS.Signals,
  timeoutMs: number,
): Promise<boolean> {
  if (isAlive(server)) process.kill(server.pid, signal);
  const deadline = Date.now() + timeoutMs;
  while (isAlive(server)) {
    if (Date.now() > deadline) return false;
    await wait(15);
  }
  return true;
}

/**
 * A postmaster.pid without a record of ours: either a server whose starter was killed before it could note it, which is adopted;
 * or the rest of a dead one, whose pid another program or a zombie may have, which would keep PostgreSQL from starting.
 */
async function adoptOrphan(
  cluster: Cluster,
  record: (server: RunningServer) => void,
): Promise<RunningServer | undefined> {
  const file = readPostmasterFile(cluster);
  if (file === undefined) return undefined;
  const identity = identifyProcess(file.pid);
  if (identity !== undefined && (await canConnect({ ...file, password: cluster.password }))) {
    const server = { ...identity, port: file.port };
    record(server);
    return server;
  }
  ownPostmasterFile(cluster);
  return undefined;
}

/**
 * PostgreSQL takes a file with its parent's pid for stale. The file is kept otherwise: its shared-memory line is what stops a
 * second server beside the surviving backends of a killed one.
 */
function ownPostmasterFile(cluster: Cluster): void {
  const path = join(cluster.folder, 'postmaster.pid');
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [process.pid, ...lines.slice(1)].join('\n'));
}

interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

/** Line 1 is the pid, 4 the port, 8 the status (src/include/utils/pidfile.h). */
function readPostmasterFile(cluster: Cluster): PostmasterFile | undefined {
  try {
    const lines = readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
  } catch {
    return undefined; // no server ran here, or it stopped cleanly
  }
}

/** Keeps one old log, so that it does not grow for ever. */
function rotateLog(cluster: Cluster): void {
  try {
    renameSync(cluster.log, `${cluster.log}.1`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
