import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identifyProcess, isAlive, isProcessIdentity } from './process-identity.ts';

describe('process identity', () => {
  it('finds this process, and the same one again', () => {
    const self = identifyProcess(process.pid);
    expect(self).toEqual(identifyProcess(process.pid));
    expect(self && isAlive(self)).toBe(true);
  });

  it('takes a later process with the same pid for another one', () => {
    expect(isAlive({ pid: process.pid, startedAt: 'long ago' })).toBe(false);
  });

  it('takes a process that ended for dead', async () => {
    const child = spawn('sleep', ['60']);
    const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
    if (identity === undefined) throw new Error('sleep did not start');
    expect(isAlive(identity)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(identity)).toBe(false);
  });

  it('takes a zombie for dead', async () => {
    // The shell starts a child that ends at once and never waits for it, because it becomes `sleep`.
    const shell = spawn('sh', ['-c', 'true & echo $!; exec sleep 60']);
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    const deadline = Date.now() + 5_000;
    while (identifyProcess(Number(line)) !== undefined && Date.now() < deadline) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(identifyProcess(Number(line))).toBeUndefined();
    shell.kill('SIGKILL');
  });

  it.each([null, 5, {}, { pid: '1', startedAt: 'x' }, { pid: 1 }])(
    'is not what %j holds',
    (value) => {
      expect(isProcessIdentity(value)).toBe(false);
    },
  );
});
