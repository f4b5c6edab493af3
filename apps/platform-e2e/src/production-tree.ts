import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
const NOBODY = 65_534;

export interface Finished {
  readonly exitCode: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

/** What an app says of itself when it listens. */
export interface Listening {
  readonly port: number;
  readonly managementPort: number;
  /** From the start of the process to this line, ms. */
  readonly upMs: number;
}

/**
 * One app as its image holds it: the tree of tools/package-app.mjs in a folder of its own with the image's entry point
 * beside it, every file read-only, run by somebody who owns none of them.
 */
export class ProductionTree {
  private constructor(
    readonly app: string,
    readonly folder: string,
  ) {}

  static async create(app: string): Promise<ProductionTree> {
    const folder = mkdtempSync(join(tmpdir(), `gatepost-${app}-`));
    const pack = ['tools/package-app.mjs', app, folder];
    await promisify(execFile)(process.execPath, pack, { cwd: WORKSPACE });
    cpSync(join(WORKSPACE, 'tools/container'), join(folder, 'container'), { recursive: true });
    makeReadOnly(folder);
    return new ProductionTree(app, folder);
  }

  /** What the files hold, MB. */
  get megabytes(): number {
    const bytes = [...walk(this.folder)].reduce((sum, path) => sum + lstatSync(path).size, 0);
    return bytes / 1e6;
  }

  /** Starts one of the image's commands. */
  start(args: readonly string[], env: Readonly<Record<string, string>>): ProductionProcess {
    return new ProductionProcess(this.spawn(['container/main.mjs', ...args], env));
  }

  /** Runs one of the image's commands to its end. */
  run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Finished> {
    return this.start(args, env).finished;
  }

  /** The image's health check, asked of the management door at `managementPort`; its exit code. */
  async checkHealth(managementPort: number): Promise<number | null> {
    const env = { MANAGEMENT_PORT: String(managementPort) };
    const { finished } = new ProductionProcess(this.spawn(['container/healthcheck.mjs'], env));
    return (await finished).exitCode;
  }

  remove(): void {
    for (const path of [this.folder, ...walkFolders(this.folder)]) chmodSync(path, 0o755);
    rmSync(this.folder, { recursive: true });
  }

  private spawn(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    return spawn(process.execPath, args, {
      cwd: this.folder,
      env: { ...IMAGE_ENVIRONMENT, GATEPOST_APP: this.app, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    });
  }
}

/** A command of an image, running. */
export class ProductionProcess {
  readonly finished: Promise<Finished>;
  /** Rejected when the process ends without listening. */
  readonly listening: Promise<Listening>;
  private output = '';

  constructor(private readonly child: ChildProcess) {
    this.finished = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode) => resolve({ exitCode, output: this.output }));
    });
    this.listening = new Promise((resolve, reject) => {
      const read = (chunk: Buffer) => {
        this.output += chunk;
        const line = this.output.split('\n').find((one) => one.endsWith('"msg":"listening"}'));
        if (line) resolve(JSON.parse(line));
      };
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', read);
      void this.finished.then(
        ({ output }) => reject(new Error(`ended without listening:\n${output}`)),
        reject,
      );
    });
    this.listening.catch(() => undefined); // a command that does not serve never listens
  }

  /** Processor time so far, ms: what the machine's other work changes least. Linux alone tells; elsewhere 0. */
  get cpuMs(): number {
    const file = `/proc/${this.child.pid}/stat`;
    if (!existsSync(file)) return 0;
    const stat = readFileSync(file, 'utf8');
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (user + system) * 10; // clock ticks of 1/100 s
  }

  /** Asks it to drain, and waits. */
  async stop(): Promise<Finished> {
    this.child.kill('SIGTERM');
    return this.finished;
  }
}

/** What the Dockerfile sets for every app. */
const IMAGE_ENVIRONMENT = {
  NODE_ENV: 'production',
  GATEPOST_ENV: 'production',
  NODE_OPTIONS: optionsOfDockerfile(),
};

function optionsOfDockerfile(): string {
  const [, options] =
    /NODE_OPTIONS="([^"]+)"/.exec(readFileSync(join(WORKSPACE, 'Dockerfile'), 'utf8')) ?? [];
  if (!options) throw new Error('the Dockerfile sets no NODE_OPTIONS');
  return options;
}

function makeReadOnly(folder: string): void {
  for (const path of walk(folder)) if (lstatSync(path).isFile()) chmodSync(path, 0o444);
  for (const path of [folder, ...walkFolders(folder)]) chmodSync(path, 0o555);
}

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

function* walkFolders(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    yield join(folder, entry.name);
    yield* walkFolders(join(folder, entry.name));
  }
}
