import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

describe('withLock', () => {
  let folder: string;

  beforeAll(() => {
    execFileSync(process.execPath, ['../../node_modules/typescript/bin/tsc', '-b'], {
      cwd: project,
    });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
    writeFileSync(join(folder, 'counter'), '0');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const startUser = (rounds: number): ChildProcess =>
    spawn(process.execPath, [join(project, 'fixtures', 'lock-user.mjs'), folder, String(rounds)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });

  it('leaves nothing behind, whether the work ends or throws', async () => {
    expect(await withLock(folder, async () => readdirSync(folder))).toHaveLength(2);
    await expect(withLock(folder, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    expect(readdirSync(folder)).toEqual(['counter']);
  });

  it('loses no addition of processes that work at the same time', async () => {
    const users = [40, 40, 40, 40].map(startUser);
    await Promise.all(users.map((user) => once(user, 'exit')));
    expect(readFileSync(join(folder, 'counter'), 'utf8')).toBe('160');
    expect(readdirSync(folder)).toEqual(['counter']);
  }, 30_000);

  it('passes over killed holders, with one successor each time', async () => {
    let killed = 0;
    let additions = 0;
    const survivors = [60, 60].map(startUser);
    const victims = Array.from({ length: 8 }, () => startUser(1_000_000));
    for (const user of [...survivors, ...victims]) {
      user.stdout?.on('data', (chunk: Buffer) => {
        additions += chunk.length;
      });
    }
    for (const victim of victims) {
      // It held the lock a moment ago, and most likely holds it or waits for it now.
      await once(victim.stdout as NodeJS.ReadableStream, 'data');
      victim.kill('SIGKILL');
      await once(victim, 'close');
      killed += 1;
    }
    for (const user of survivors) if (user.exitCode === null) await once(user, 'close');
    const counted = Number(readFileSync(join(folder, 'counter'), 'utf8'));
    // A process killed between writing and telling adds one that nobody heard of.
    expect(counted).toBeGreaterThanOrEqual(additions);
    expect(counted).toBeLessThanOrEqual(additions + killed);
    await withLock(folder, async () => undefined);
    expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toEqual([]);
  }, 60_000);

  it.each([
    ['of a dead process', JSON.stringify({ pid: 4_194_304, startedAt: 'x' })],
    ['of a process whose pid is used again', JSON.stringify({ pid: process.pid, startedAt: 'x' })],
    ['torn by a power cut', ''],
  ])('takes over a lock %s', async (_what, content) => {
    writeFileSync(join(folder, 'lock.7.x'), content);
    expect(await withLock(folder, async () => readdirSync(folder))).not.toContain('lock.7.x');
    expect(readdirSync(folder)).toEqual(['counter']);
  });

  it('says who holds it when it waited too long', async () => {
    const inner = withLock(folder, () => withLock(folder, async () => undefined, 50));
    await expect(inner).rejects.toThrow(`Process ${process.pid} holds the lock on ${folder}`);
  });
});
