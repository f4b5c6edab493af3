import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import {
  identifyProcess,
  isAlive,
  isProcessIdentity,
  type ProcessIdentity,
} from './process-identity.ts';

/** A server process and the port on 127.0.0.1 where it listens. */
export interface RunningServer extends ProcessIdentity {
  readonly port: number;
}

/** What is particular about one kind of server. Each function is called under the folder's lock. */
export interface ServerKind {
  /**
   * Starts it and waits until it answers. `record` is called as soon as the process exists, so that the next start finds it
   * even when this one is killed while it waits. `lastPort` is where it listened the last time.
   */
  start(
    record: (server: RunningServer) => void,
    lastPort: number | undefined,
  ): Promise<RunningServer>;
  /** Waits until a recorded, living server answers; false when it never will. */
  answers(server: RunningServer): Promise<boolean>;
  stop(server: RunningServer): Promise<void>;
}

export interface JoinedServer {
  readonly server: RunningServer;
  /** Takes this process off the list; the last living one stops the server. Safe to call twice. */
  leave(): Promise<void>;
}

/** Starts the server of `folder`, or joins the one that runs there; it stops when the last process that joined has left. */
export async function joinServer(
  folder: string,
  kind: ServerKind,
  lockTimeoutMs?: number,
): Promise<JoinedServer> {
  requireWritable(folder);
  const { server, membership } = await withLock(
    folder,
    async () => {
      const server = (await runningServer(folder, kind)) ?? (await startServer(folder, kind));
      return { server, membership: addMember(folder) };
    },
    lockTimeoutMs,
  );
  let left: Promise<void> | undefined;
  return {
    server,
    leave: () => {
      left ??= withLock(folder, () => leaveServer(folder, kind, membership), lockTimeoutMs);
      return left;
    },
  };
}

async function runningServer(folder: string, kind: ServerKind): Promise<RunningServer | undefined> {
  const recorded = readRecord(folder);
  if (recorded === undefined || !isAlive(recorded)) return undefined;
  if (await kind.answers(recorded)) return recorded;
  await kind.stop(recorded);
  return undefined;
}

async function startServer(folder: string, kind: ServerKind): Promise<RunningServer> {
  const record = (server: RunningServer): void => writeRecord(folder, server);
  return kind.start(record, readRecord(folder)?.port);
}

async function leaveServer(folder: string, kind: ServerKind, membership: string): Promise<void> {
  rmSync(membership, { force: true });
  if (livingMembers(folder) > 0) return;
  const recorded = readRecord(folder);
  if (recorded !== undefined && isAlive(recorded)) await kind.stop(recorded);
}

function addMember(folder: string): string {
  const members = join(folder, 'members');
  mkdirSync(members, { recursive: true });
  const path = join(members, `${process.pid}-${randomUUID()}`);
  writeFileSync(path, JSON.stringify(identifyProcess(process.pid)));
  return path;
}

/** Counts the processes that joined and still live; forgets the ones that were killed. */
function livingMembers(folder: string): number {
  const members = join(folder, 'members');
  let living = 0;
  for (const name of readdirSync(members)) {
    const member = readJson(join(members, name));
    if (isProcessIdentity(member) && isAlive(member)) living += 1;
    else rmSync(join(members, name), { force: true });
  }
  return living;
}

function readRecord(folder: string): RunningServer | undefined {
  const record = readJson(join(folder, 'server.json'));
  return isProcessIdentity(record) && Number.isInteger((record as RunningServer).port)
    ? (record as RunningServer)
    : undefined;
}

function writeRecord(folder: string, server: RunningServer): void {
  const path = join(folder, 'server.json');
  writeFileSync(`${path}.new`, JSON.stringify(server));
  renameSync(`${path}.new`, path);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // absent, or torn by a power cut
  }
}

function requireWritable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new Error(`The folder ${folder} cannot be written by user ${userName()} (${code}).`, {
      cause,
    });
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown'); // a uid without an entry in the user database
  }
}
