import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identifyProcess, isAlive, type ProcessIdentity } from '@gatepost/embedded-postgres';

const project = fileURLToPath(new URL('..', import.meta.url));
const workspace = fileURLToPath(new URL('../../..', import.meta.url));

interface Told {
  readonly redis: string;
  readonly own: number;
  readonly database: string;
}

/** Whole test runs, in processes and a cache of their own. */
describe('a test run', () => {
  let cache: string;
  const runs: ChildProcess[] = [];

  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'test-run-'));
  });
  afterEach(() => {
    for (const run of runs.splice(0)) run.kill('SIGKILL');
    // A failed test leaves servers that no run will ever look for.
    for (const name of readdirSync(cache, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('server.json')) continue;
      const server: ProcessIdentity = JSON.parse(readFileSync(join(cache, name), 'utf8'));
      if (isAlive(server)) process.kill(server.pid, 'SIGKILL');
    }
    rmSync(cache, { recursive: true, force: true });
  });

  const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
    const own: NodeJS.ProcessEnv = {
      ...process.env,
      GATEPOST_TEST_CACHE: cache,
      GATEPOST_BUILT: '1',
      ...more,
    };
    // What the run that this spec belongs to told its own workers.
    for (const name of ['TEST_SERVICES', 'TEST_RUN', 'TOTALS', 'ALL_PROJECTS'])
      delete own[`GATEPOST_${name}`];
    return own;
  };
  const command = (fixture: string): string[] => [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--config',
    join(project, 'fixtures', fixture, 'jest.config.mjs'),
  ];
  const runAbsent = (more: NodeJS.ProcessEnv): { status: number | null; output: string } => {
    const env = environment({ KAFKA_BROKERS: '127.0.0.1:1', REQUIRE_SERVICES: '', ...more });
    const { status, stdout, stderr } = spawnSync(process.execPath, command('absent'), {
      cwd: workspace,
      env,
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  const startWaiting = async (): Promise<{ run: ChildProcess; told: Told }> => {
    const run = spawn(process.execPath, command('waiting'), {
      cwd: workspace,
      env: environment(),
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    runs.push(run);
    let output = '';
    const told = await new Promise<Told>((resolve, reject) => {
      run.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const [, line] = /^told (.*)$/m.exec(output) ?? [];
        if (line !== undefined) resolve(JSON.parse(line));
      });
      run.once('exit', () => reject(new Error(`The run ended early: ${output}`)));
    });
    return { run, told };
  };
  const pidOf = (server: string): number =>
    (JSON.parse(readFileSync(join(cache, server, 'server.json'), 'utf8')) as { pid: number }).pid;
  const expectNothingLeft = (own: number): void => {
    for (const pid of [pidOf('redis'), pidOf('postgres'), own])
      expect(identifyProcess(pid)).toBeUndefined();
    expect(readdirSync(join(cache, 'private'))).toEqual([]);
    expect(readdirSync(join(cache, 'redis', 'members'))).toEqual([]);
  };

  it('skips by name what needs an absent server, and says how to get it', () => {
    const { status, output } = runAbsent({});
    expect(status).toBe(0);
    expect(output).toContain('2 skipped, 1 passed');
    expect(output).toContain('  a suite with a broker [skipped: no kafka] (2 tests)');
    expect(output).toContain(
      '  kafka: no broker answers at 127.0.0.1:1, which KAFKA_BROKERS names\n    unset KAFKA_BROKERS',
    );
  }, 30_000);

  it('fails for want of a server where servers are required', () => {
    const { status, output } = runAbsent({ REQUIRE_SERVICES: '1' });
    expect(status).toBe(1);
    expect(output).toContain('1 failed, 1 passed');
    expect(output).toContain('a suite with a broker › has kafka');
  }, 30_000);

  it('shares its servers with a run at the same time; the last to end stops them', async () => {
    const [first, second] = [await startWaiting(), await startWaiting()];
    expect(second.told.redis).toBe(first.told.redis);
    expect(new URL(second.told.database).port).toBe(new URL(first.told.database).port);
    expect(second.told.own).not.toBe(first.told.own);
    const redis = pidOf('redis');
    first.run.stdin?.write('end\n');
    expect(await once(first.run, 'exit')).toEqual([0, null]);
    expect(identifyProcess(redis)).toBeDefined();
    second.run.stdin?.write('end\n');
    expect(await once(second.run, 'exit')).toEqual([0, null]);
    expectNothingLeft(second.told.own);
  }, 60_000);

  it('leaves nothing running after Ctrl-C', async () => {
    const { run, told } = await startWaiting();
    process.kill(-(run.pid as number), 'SIGINT');
    expect(await once(run, 'exit')).toEqual([130, null]);
    expectNothingLeft(told.own);
  }, 60_000);

  it('ends what a killed run left running', async () => {
    const killed = await startWaiting();
    process.kill(-(killed.run.pid as number), 'SIGKILL');
    await once(killed.run, 'exit');
    expect(identifyProcess(killed.told.own)).toBeDefined();
    const { run, told } = await startWaiting();
    expect(told.redis).toBe(killed.told.redis); // joined, not started again
    expect(identifyProcess(killed.told.own)).toBeUndefined();
    run.stdin?.write('end\n');
    await once(run, 'exit');
    expectNothingLeft(told.own);
  }, 60_000);

  const hasRedis = existsSync('/usr/bin/redis-check-rdb') ? it : it.skip; // the stand-in starts it
  hasRedis(
    'takes a container where no program can be had',
    () => {
      const bin = join(cache, 'bin');
      const standIn = readFileSync(join(project, 'fixtures', 'docker-stand-in.cjs'), 'utf8');
      mkdirSync(bin);
      writeFileSync(join(bin, 'docker'), `#!${process.execPath}\n${standIn}`, { mode: 0o755 });
      const script = `
      import { provisionServices } from '${join(project, 'dist', 'index.js')}';
      const provision = await provisionServices(['redis', 'redis-server'], console.log);
      console.log(JSON.stringify(provision.outcomes));
      await provision.release();`;
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', script],
        {
          env: {
            GATEPOST_TEST_CACHE: cache,
            STAND_IN_FOLDER: cache,
            PATH: bin,
          },
          encoding: 'utf8',
        },
      );
      expect(stderr).toBe('');
      expect(stdout).toContain('valkey/valkey:9.0 pulled');
      const outcomes = JSON.parse(stdout.trim().split('\n').at(-1) as string);
      expect(outcomes.redis).toEqual({
        available: true,
        address: expect.stringMatching(/^redis:\/\/127\.0\.0\.1:\d+$/),
      });
      expect(outcomes['redis-server']).toMatchObject({ available: false });
      const calls = readFileSync(join(cache, 'calls'), 'utf8')
        .trim()
        .split('\n')
        .map((call) => call.split(' ')[0]);
      expect(calls).toEqual(['version', 'image', 'pull', 'run', 'rm']);
      expect(identifyProcess(pidOf('redis'))).toBeUndefined();
    },
    30_000,
  );
});
