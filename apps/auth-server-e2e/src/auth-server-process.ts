import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, freePorts } from '@gatepost/test-services';

export const MANAGEMENT_TOKEN = 'management-token-of-e2e';
const MAIN = fileURLToPath(new URL('../../auth-server/dist/main.js', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  readonly managementPort: number;
}

/** The built server as operators run it: one process or several on one database, behind one issuer. */
export class AuthServers {
  private constructor(
    readonly issuer: string,
    private readonly database: { readonly url: string; drop(): Promise<void> },
    private readonly running: readonly Running[],
    private readonly output: string[],
  ) {}

  static async start(
    options: { processes?: number; environment?: Record<string, string> } = {},
  ): Promise<AuthServers> {
    const database = await createTestDatabase();
    const [port] = (await freePorts(1)) as [number]; // the issuer must be known before the server listens
    const publicUrl = `http://localhost:${port}`;
    const output: string[] = [];
    const environment = {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: database.url,
      PUBLIC_URL: publicUrl,
      DEMO: 'true',
      MANAGEMENT_TOKEN,
      MANAGEMENT_PORT: '0',
      ...options.environment,
    };
    const running: Running[] = [];
    for (let number = 0; number < (options.processes ?? 1); number++) {
      const own = { ...environment, PORT: number === 0 ? String(port) : '0' };
      running.push(await startProcess(own, output));
    }
    return new AuthServers(`${publicUrl}/auth`, database, running, output);
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** Addresses of the processes; all of them say that they are `issuer`. */
  get origins(): string[] {
    return this.running.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Everything that was logged. */
  get log(): string {
    return this.output.join('');
  }

  /** The management door of the first process. */
  async administer(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.running[0]?.managementPort}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${MANAGEMENT_TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.running[0]?.managementPort}/metrics`)).text();
  }

  async stop(): Promise<void> {
    for (const { child } of this.running) {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
    }
    await this.database.drop();
  }
}

function startProcess(env: Record<string, string>, output: string[]): Promise<Running> {
  const child = fork(MAIN, [], {
    env,
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => output.push(String(chunk)));
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`exit ${code}: ${output.join('')}`)));
    child.on('message', (message) => {
      const { type, ...ports } = message as { type: string; port: number; managementPort: number };
      if (type !== 'ready') return;
      child.removeAllListeners('exit');
      resolve({ child, ...ports });
    });
  });
}
