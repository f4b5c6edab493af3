import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFailed } from '../command-failed.ts';

/** Longer than anything done under the lock; a holder that is older has died. */
const STALE_MS = 60_000;
const PATIENCE_MS = 70_000;
const RETRY_MS = 25;

/**
 * Runs something while no other process does. Two commands that refresh at once would both use the same refresh token,
 * and the server would take the second for a thief and end the session.
 */
export async function withLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const mark = `${process.pid} ${randomUUID()}`;
  await acquire(path, mark);
  try {
    return await run();
  } finally {
    // Only our own: a lock that took too long may have been given to somebody else.
    if ((await readMark(path)) === mark) await rm(path, { force: true });
  }
}

async function acquire(path: string, mark: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    if (await create(path, mark)) return;
    await removeIfStale(path);
    if (Date.now() > deadline)
      throw new CommandFailed(`Another gatepost command does not let go of ${path}.`, {
        cure: 'If none is running, delete that file.',
      });
    await pause(RETRY_MS);
  }
}

async function create(path: string, mark: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(mark);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeIfStale(path: string): Promise<void> {
  const mark = await readMark(path);
  if (mark === undefined || !(await isStale(path, mark))) return;
  // Moved before it is removed: if somebody else was quicker and this is a new lock, it is put back.
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await readMark(aside)) === mark) await rm(aside, { force: true });
    else await rename(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function isStale(path: string, mark: string): Promise<boolean> {
  const pid = Number.parseInt(mark, 10);
  if (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) return true;
  const info = await stat(path).catch(() => undefined);
  return info !== undefined && Date.now() - info.mtimeMs > STALE_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readMark(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
