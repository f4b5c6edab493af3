import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, joinEmbeddedPostgres, type ProcessIdentity } from '@gatepost/embedded-postgres';
import { BreakableProxy } from '@gatepost/test-services';
import type { Stage } from '../stage.ts';

const DATABASE = 'gatepost';

/**
 * A PostgreSQL of the scenario's own, that keeps its promises (fsync), behind a connection that can hang. Its address
 * stays the same whatever happens.
 */
export class OwnPostgres {
  /** The server's start, or restart; gives the way to leave it. */
  private joining: Promise<() => Promise<void>> | undefined;
  private readonly target = { host: '127.0.0.1', port: 0 };
  private readonly proxy = new BreakableProxy(this.target);
  private address = new URL('postgres://127.0.0.1');

  private constructor(private readonly dataDir: string) {}

  static async start(stage: Stage, dataDir = join(stage.options.folder, 'postgres')) {
    const postgres = new OwnPostgres(dataDir);
    stage.onEnd(() => postgres.stop());
    await postgres.join();
    postgres.address.port = String(await postgres.proxy.open());
    return postgres;
  }

  /** Through the connection that can hang. */
  get url(): string {
    return this.address.href;
  }

  /** Past it. */
  get directUrl(): string {
    const direct = new URL(this.address);
    direct.port = String(this.target.port);
    return direct.href;
  }

  /** kill -9 of the server; its processes end with it. */
  kill(): void {
    const server = readServer(this.dataDir);
    // Never a guess: 0 would be this process and all that belong to it.
    if (server === undefined) throw new Error(`no server is known in ${this.dataDir}`);
    process.kill(server.pid, 'SIGKILL');
  }

  get isAlive(): boolean {
    const server = readServer(this.dataDir);
    return server !== undefined && isAlive(server);
  }

  /** After `kill`: returns when it takes connections again. */
  async restart(): Promise<void> {
    await this.leave();
    await this.join();
  }

  /** Connections stay, and nothing comes through. */
  hang(): void {
    this.proxy.freeze();
  }

  resume(): void {
    this.proxy.thaw();
  }

  private async join(): Promise<void> {
    const joining = joinEmbeddedPostgres({ dataDir: this.dataDir, database: DATABASE });
    this.joining = joining.then(({ leave }) => leave);
    this.joining.catch(() => undefined); // told by the next line
    const { url } = await joining;
    const { port } = this.address;
    this.address = new URL(url);
    this.target.port = Number(this.address.port);
    if (port) this.address.port = port;
  }

  /** Also one that is just starting: Ctrl-C does not wait for that. */
  private async leave(): Promise<void> {
    await this.joining?.then(
      (leave) => leave(),
      () => undefined, // it did not start
    );
  }

  private async stop(): Promise<void> {
    await this.proxy.cut();
    await this.leave();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Ends what a run that was killed has left in a scenario's folder. */
export function endForgottenPostgres(folder: string): void {
  for (const dataDir of [join(folder, 'postgres'), join(folder, 'disk/postgres')]) {
    const server = readServer(dataDir);
    if (server && isAlive(server)) process.kill(server.pid, 'SIGQUIT');
  }
}

function readServer(dataDir: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8')) as ProcessIdentity;
  } catch {
    return undefined; // none was started
  }
}
