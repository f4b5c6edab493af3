import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { type Binaries, locateBinaries } from './binaries.ts';
import { chooseServerUser, findBarrier, type ServerUser } from './server-user.ts';

export const SUPERUSER = 'postgres';

export interface ClusterOptions {
  /** Everything lives here: the cluster, the superuser's password, the log, the list of processes that joined. */
  readonly dataDir: string;
  /** False: no fsync, for data that a test throws away. Default true. */
  readonly durable?: boolean;
  /** Default 100. */
  readonly maxConnections?: number;
}

/** The files of one cluster and the programs and user that serve it. */
export interface Cluster {
  readonly folder: string;
  readonly log: string;
  readonly password: string;
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly durable: boolean;
  readonly maxConnections: number;
}

/** The cluster of the folder, whether it is there yet or not. */
export function findCluster(options: ClusterOptions): Cluster {
  const folder = join(options.dataDir, 'cluster');
  const user = chooseServerUser(folder);
  if (user !== undefined && platform() !== 'linux') requireReach(options.dataDir, user);
  return {
    folder,
    log: join(options.dataDir, 'server.log'),
    password: readOrMakePassword(options.dataDir, existsSync(folder)),
    binaries: locateBinaries(user),
    user,
    durable: options.durable ?? true,
    maxConnections: options.maxConnections ?? 100,
  };
}

function readOrMakePassword(dataDir: string, clusterExists: boolean): string {
  const path = join(dataDir, 'password');
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  if (clusterExists) {
    throw new Error(
      `The file ${path} is gone, and with it the way into the database: restore it, or remove ${dataDir} to begin anew.`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(path, `${password}\n`, { mode: 0o600 });
  return password;
}

/** Makes the cluster unless it is there. initdb works in a folder of its own that gets the real name when it is complete: a killed one leaves no half cluster. */
export async function initialiseCluster(cluster: Cluster): Promise<void> {
  removeDrafts(cluster);
  if (existsSync(cluster.folder)) return;
  const draft = `${cluster.folder}.${randomUUID()}`;
  mkdirSync(draft, { mode: 0o700 });
  if (cluster.user !== undefined) giveTo(draft, cluster.user);
  const passwordFile = openPasswordFor(cluster);
  try {
    const initdb = spawnAsServer(
      cluster,
      draft,
      cluster.binaries.initdb,
      [
        `--username=${SUPERUSER}`,
        '--auth=scram-sha-256',
        '--pwfile=/dev/stdin',
        '--encoding=UTF8',
        // The built-in locale sorts alike on every machine, whatever its C library.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(cluster.durable ? [] : ['--no-sync']),
      ],
      [passwordFile, 'pipe', 'pipe'],
    );
    let output = '';
    for (const stream of [initdb.stdout, initdb.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const code = await exitOf(initdb);
    if (code !== 0)
      throw new Error(`PostgreSQL could not be set up in ${cluster.folder}: ${lastLines(output)}`);
    renameSync(draft, cluster.folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  } finally {
    closeSync(passwordFile);
  }
}

function removeDrafts(cluster: Cluster): void {
  const parent = join(cluster.folder, '..');
  for (const name of readdirSync(parent)) {
    if (!name.startsWith('cluster.')) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch (error) {
      // The initdb of a killed start goes on writing for a moment: the next start removes what it leaves.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }
}

/** initdb reads the password from a file that has no name any more, so that no second copy of it stays on the disk. */
function openPasswordFor(cluster: Cluster): number {
  const path = `${cluster.folder}.password`;
  writeFileSync(path, `${cluster.password}\n`, { mode: 0o600 });
  if (cluster.user !== undefined) giveTo(path, cluster.user);
  const descriptor = openSync(path, 'r');
  unlinkSync(path);
  return descriptor;
}

/** Spawns the server itself, in a session of its own: Ctrl-C in the terminal does not reach it. */
export function spawnServer(cluster: Cluster, port: number, log: number): ChildProcess {
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    cluster_name: 'gatepost',
    max_connections: cluster.maxConnections,
    shared_buffers: '64MB',
    max_wal_size: '256MB',
    io_method: 'sync',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(cluster.durable
      ? {}
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawnAsServer(
    cluster,
    cluster.folder,
    cluster.binaries.postgres,
    flags,
    ['ignore', log, log],
    true,
  );
}

/**
 * Runs a program of PostgreSQL on the data folder `folder`. As root on Linux the folder is entered before root's rights are
 * dropped and then called /proc/self/cwd, which leads there without passing the folders above: a checkout below /root (0700)
 * works like any other.
 */
function spawnAsServer(
  cluster: Cluster,
  folder: string,
  program: string,
  args: string[],
  stdio: ('ignore' | 'pipe' | number)[],
  detached = false,
): ChildProcess {
  const indirect = cluster.user !== undefined && platform() === 'linux';
  return spawn(program, ['-D', indirect ? '/proc/self/cwd' : folder, ...args], {
    cwd: folder,
    detached,
    stdio,
    // Nothing of the caller's environment: PGPORT, PGDATA or a locale would change what the server does.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    ...cluster.user,
  });
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

function giveTo(path: string, user: ServerUser): void {
  chownSync(path, user.uid, user.gid);
}

function requireReach(dataDir: string, user: ServerUser): void {
  const barrier = findBarrier(dataDir, user);
  if (barrier === undefined) return;
  throw new Error(
    `PostgreSQL must not run as root, and other users cannot reach ${dataDir} because of ${barrier}: open that folder (chmod o+x), or start as an ordinary user.`,
  );
}

export function lastLines(output: string, count = 3): string {
  return output.trim().split('\n').slice(-count).join(' ').trim();
}
