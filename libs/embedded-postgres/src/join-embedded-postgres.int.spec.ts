import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { RunningServer } from './join-server.ts';
import { isAlive } from './process-identity.ts';
import { chooseServerUser, findBarrier } from './server-user.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const nobody = chooseServerUser('/nowhere');

describe('joinEmbeddedPostgres', () => {
  let template: string;
  let root: string;
  let dataDir: string;
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    execFileSync(process.execPath, ['../../node_modules/typescript/bin/tsc', '-b'], {
      cwd: project,
    });
    // Most tests begin with a cluster that was set up before: setting one up is what takes the time.
    template = mkdtempSync(join(tmpdir(), 'embedded-'));
    dataDir = join(template, 'postgres');
    await leave((await join_()).child);
    rmSync(join(dataDir, 'server.json'));
  }, 30_000);
  afterAll(() => rmSync(template, { recursive: true }));
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'embedded-')); // 0700: as root, out of the server user's reach
    dataDir = join(root, 'data', 'postgres');
  });
  afterEach(() => {
    for (const process of processes.splice(0)) process.kill('SIGKILL');
    const server = existsSync(join(dataDir, 'server.json')) ? runningServer() : undefined;
    if (server !== undefined && isAlive(server)) process.kill(server.pid, 'SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });

  const copyTemplate = (): void => {
    mkdirSync(join(root, 'data'));
    execFileSync('cp', ['-a', join(template, 'postgres'), dataDir]); // owners included
  };
  const startJoiner = (options: SpawnOptions = {}): ChildProcess => {
    const child = spawn(process.execPath, [join(project, 'fixtures', 'joiner.mjs'), dataDir], {
      stdio: ['pipe', 'pipe', 'inherit'],
      ...options,
    });
    processes.push(child);
    return child;
  };
  const answerOf = async (child: ChildProcess): Promise<{ url: string; error: string }> => {
    const [line] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')) as [
      string,
    ];
    return JSON.parse(line);
  };
  const join_ = async (options?: SpawnOptions): Promise<{ child: ChildProcess; url: string }> => {
    const child = startJoiner(options);
    const { url, error } = await answerOf(child);
    if (error !== undefined) throw new Error(error);
    return { child, url };
  };
  const leave = async (child: ChildProcess): Promise<void> => {
    child.stdin?.write('leave\n');
    await once(child, 'exit');
  };
  const kill9 = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const runningServer = (): RunningServer =>
    JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8'));
  const query = async (url: string, text: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const expectNothingLeft = (): void => {
    expect(isAlive(runningServer())).toBe(false);
    expect(readdirSync(join(dataDir, 'members'))).toEqual([]);
    const kept = ['cluster', 'members', 'password', 'server.json', 'server.log'];
    expect(readdirSync(dataDir).filter((name) => name !== 'server.log.1')).toEqual(kept);
  };

  it('serves a new database on 127.0.0.1 alone and leaves nothing running or locked', async () => {
    const { child, url } = await join_();
    expect(await query(url, 'SELECT current_database() AS name')).toEqual([{ name: 'gatepost' }]);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600);
    const elsewhere = connect({ host: '127.0.0.2', port: Number(new URL(url).port) });
    const [refusal] = (await once(elsewhere, 'error')) as [NodeJS.ErrnoException];
    expect(['ECONNREFUSED', 'EADDRNOTAVAIL']).toContain(refusal.code);
    await leave(child);
    expectNothingLeft();
  }, 30_000);

  it('keeps data, port and password from one start to the next, durably by default', async () => {
    copyTemplate();
    const first = await join_({ env: { ...process.env, DURABLE: '1' } });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    expect(await query(first.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await leave(first.child);
    const second = await join_();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await leave(second.child);
    expectNothingLeft();
  }, 30_000);

  it('starts one server for processes that come at the same time; the last to leave stops it', async () => {
    const joined = await Promise.all([join_(), join_(), join_()]);
    expect(new Set(joined.map(({ url }) => url)).size).toBe(1);
    const server = runningServer();
    for (const { child, url } of joined) {
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(isAlive(server)).toBe(true);
      await leave(child);
    }
    expectNothingLeft();
  }, 30_000);

  it('is joined by the next start when only the apps were killed', async () => {
    copyTemplate();
    const [first, second] = await Promise.all([join_(), join_()]);
    const server = runningServer();
    await Promise.all([kill9(first.child), kill9(second.child)]);
    expect(isAlive(server)).toBe(true);
    const third = await join_();
    expect(runningServer()).toEqual(server);
    await leave(third.child);
    expectNothingLeft();
  }, 30_000);

  it('recovers what was committed when everything was killed', async () => {
    copyTemplate();
    const { child, url } = await join_({ env: { ...process.env, DURABLE: '1' } });
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const server = runningServer();
    process.kill(server.pid, 'SIGKILL');
    await kill9(child);
    expect(existsSync(join(dataDir, 'cluster', 'postmaster.pid'))).toBe(true);
    const next = await join_();
    expect(await query(next.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await leave(next.child);
    expectNothingLeft();
  }, 30_000);

  it('replaces a server that died under its apps, for those that come later', async () => {
    copyTemplate();
    const first = await join_();
    process.kill(runningServer().pid, 'SIGKILL');
    const second = await join_();
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await leave(first.child);
    expect(isAlive(runningServer())).toBe(true);
    await leave(second.child);
    expectNothingLeft();
  }, 30_000);

  it('starts after a start that was killed at any moment', async () => {
    for (const afterMs of [60, 120, 200, 300, 450, 600, 800]) {
      const victim = startJoiner();
      await wait(afterMs);
      await kill9(victim);
    }
    const { child, url } = await join_();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await leave(child);
    // The initdb of a victim may have outlived it and written on: the start after that finds only dead drafts.
    await leave((await join_()).child);
    expectNothingLeft();
  }, 60_000);

  it('starts although another program has the pid of the dead server', async () => {
    copyTemplate();
    const first = await join_();
    process.kill(runningServer().pid, 'SIGKILL');
    await kill9(first.child);
    const other = spawn('sleep', ['60'], { ...nobody });
    const file = join(dataDir, 'cluster', 'postmaster.pid');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [other.pid, ...lines.slice(1)].join('\n'));
    const second = await join_();
    await leave(second.child);
    other.kill('SIGKILL');
    expectNothingLeft();
  }, 30_000);

  it('adopts a server whose starter was killed before it could note it', async () => {
    copyTemplate();
    const first = await join_();
    const server = runningServer();
    await kill9(first.child);
    rmSync(join(dataDir, 'server.json'));
    const second = await join_();
    expect(runningServer()).toEqual(server);
    await leave(second.child);
    expectNothingLeft();
  }, 30_000);

  it('survives Ctrl-C of the terminal until the app has left', async () => {
    copyTemplate();
    const { child, url } = await join_({ detached: true });
    process.kill(-(child.pid as number), 'SIGINT'); // the whole foreground group, as a terminal does
    await wait(100);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await leave(child);
    expectNothingLeft();
  }, 30_000);

  it('takes another port when somebody has taken its own', async () => {
    copyTemplate();
    const first = await join_();
    await leave(first.child);
    const taken = Number(new URL(first.url).port);
    const squatter = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${taken}, '127.0.0.1', () => console.log('taken'))`,
    ]);
    await once(squatter.stdout, 'data');
    const second = await join_();
    expect(new URL(second.url).port).not.toBe(String(taken));
    await leave(second.child);
    squatter.kill('SIGKILL');
    expectNothingLeft();
  }, 30_000);

  it('says in one sentence that the password file is gone', async () => {
    copyTemplate();
    await leave((await join_()).child);
    rmSync(join(dataDir, 'password'));
    expect((await answerOf(startJoiner())).error).toBe(
      `The file ${join(dataDir, 'password')} is gone, and with it the way into the database: restore it, or remove ${dataDir} to begin anew.`,
    );
  }, 30_000);

  // As root the same is tried as an ordinary user, who must be able to read the checkout.
  const canBecomeOrdinary = nobody === undefined || findBarrier(project, nobody) === undefined;
  const asOrdinary = canBecomeOrdinary ? it : it.skip;

  asOrdinary(
    'needs no rights of an ordinary user but its own folder',
    async () => {
      if (nobody !== undefined) chownSync(root, nobody.uid, nobody.gid);
      const { child, url } = await join_({ ...nobody });
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await leave(child);
      expectNothingLeft();
    },
    30_000,
  );

  asOrdinary('names the folder that cannot be written', async () => {
    chmodSync(root, 0o555);
    expect((await answerOf(startJoiner({ ...nobody }))).error).toMatch(
      new RegExp(`^The folder ${dataDir} cannot be written by user \\w+ \\(EACCES\\)\\.$`),
    );
    chmodSync(root, 0o755);
  });
});
