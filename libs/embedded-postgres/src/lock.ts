import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  identifyProcess,
  isAlive,
  isProcessIdentity,
  type ProcessIdentity,
} from './process-identity.ts';

const LOCK = /^lock\./;
const DRAFT = /^lock-draft\.(\d+)\./;

/**
 * Runs `work` while no other process runs its own under the same folder. A holder that died is passed over.
 *
 * Each process announces itself with a file of its own and only then looks for others: of two that come together, the later one
 * sees the earlier, so that never both go on (both may step back, and try again after different waits). The names are never used
 * twice, which is why the file of a dead process may be removed by anybody at any time: it cannot be somebody else's by now.
 */
export async function withLock<T>(
  folder: string,
  work: () => Promise<T>,
  timeoutMs = 120_000,
): Promise<T> {
  const path = await acquireLock(folder, Date.now() + timeoutMs);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquireLock(folder: string, deadline: number): Promise<string> {
  for (;;) {
    const holder = findHolder(folder);
    if (holder === undefined) {
      const path = announce(folder);
      if (findHolder(folder, path) === undefined) return path;
      rmSync(path, { force: true });
    } else if (Date.now() > deadline) {
      throw new Error(`Process ${holder.pid} holds the lock on ${folder} and does not let go.`);
    }
    await wait(5 + Math.random() * 30);
  }
}

function announce(folder: string): string {
  const id = `${process.pid}.${randomUUID()}`;
  const draft = join(folder, `lock-draft.${id}`);
  const path = join(folder, `lock.${id}`);
  // The content is complete before the file gets its name, so that nobody ever reads half of it and takes its owner for dead.
  writeFileSync(draft, JSON.stringify(identifyProcess(process.pid)));
  renameSync(draft, path);
  return path;
}

/** A living process that holds or wants the lock, by another file than `own`; removes what the dead left. */
function findHolder(folder: string, own?: string): ProcessIdentity | undefined {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path === own) continue;
    const drafter = DRAFT.exec(name)?.[1];
    if (drafter !== undefined && identifyProcess(Number(drafter)) === undefined) {
      rmSync(path, { force: true });
    }
    if (!LOCK.test(name)) continue;
    const holder = readHolder(path);
    if (holder !== undefined && isAlive(holder)) return holder;
    rmSync(path, { force: true });
  }
  return undefined;
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isProcessIdentity(content) ? content : undefined;
  } catch {
    return undefined; // released meanwhile, or torn by a power cut
  }
}
