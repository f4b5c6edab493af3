import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const MANAGEMENT_TOKEN = 'management-token-of-specs';

const MAIN = fileURLToPath(new URL('../../gateway-limiter/dist/main.js', import.meta.url));

/** A process of the built gateway. */
export class GatewayProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
    readonly managementPort: number,
    private readonly read: () => string,
  ) {}

  static async start(environment: Readonly<Record<string, string>>): Promise<GatewayProcess> {
    const child = fork(MAIN, [], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        MANAGEMENT_PORT: '0',
        MANAGEMENT_TOKEN,
        LOG_LEVEL: 'info',
        // Exact counts need every decision, however busy the machine is that runs this.
        LIMITER_STORE_TIMEOUT_MS: '5000',
        ...environment,
      },
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    const ports = await new Promise<{ port: number; managementPort: number }>((resolve, reject) => {
      child.on('message', (message) => resolve(message as never));
      child.once('exit', (code) =>
        reject(Object.assign(new Error(`the gateway ended with ${code}:\n${output}`), { code })),
      );
    });
    return new GatewayProcess(child, ports.port, ports.managementPort, () => output);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Everything it has written so far. */
  get output(): string {
    return this.read();
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.managementPort}/metrics`)).text();
  }

  /** The sum of a metric's series whose labels hold all of `labels`. */
  async metric(name: string, ...labels: string[]): Promise<number> {
    return (await this.metrics())
      .split('\n')
      .filter(
        (line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)),
      )
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** Asks it to finish, and gives its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.hasEnded) return this.child.exitCode;
    const ended = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    return ended;
  }
}
