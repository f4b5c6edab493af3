import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppProcess } from '@gatepost/platform';
import { metricSum } from './metrics.ts';

const APPS = fileURLToPath(new URL('../../../apps', import.meta.url));

/** The address that all services say they have; nothing needs to listen there. */
export const PUBLIC_URL = 'http://localhost:8080';

export const MANAGEMENT_TOKEN = 'management-token-of-chaos';

export interface AppOptions {
  /** What it is called in logs and reports. */
  readonly name: string;
  readonly app: 'auth-server' | 'shortener' | 'gateway-limiter';
  /** The command of an app that has several. */
  readonly command?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ports: { readonly port: number; readonly managementPort: number };
  readonly logFolder: string;
}

/** One process of a built service, that can be killed, stopped and started again at the same address. */
export class App {
  private process: AppProcess | undefined;

  constructor(private readonly options: AppOptions) {}

  get name(): string {
    return this.options.name;
  }

  get port(): number {
    return this.options.ports.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get managementUrl(): string {
    return `http://127.0.0.1:${this.options.ports.managementPort}`;
  }

  get pid(): number {
    return this.process?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.process?.isRunning ?? false;
  }

  async start(): Promise<void> {
    const { name, app, command, env, ports, logFolder } = this.options;
    this.process = new AppProcess({
      name,
      script: join(APPS, app, 'dist/main.js'),
      ...(command === undefined ? {} : { args: [command] }),
      env: {
        PATH: process.env['PATH'] ?? '',
        LOG_LEVEL: 'info',
        ACCESS_LOG_PER_SECOND: '0',
        MANAGEMENT_TOKEN,
        ...env,
        PORT: String(ports.port),
        MANAGEMENT_PORT: String(ports.managementPort),
      },
      logFile: join(logFolder, `${name}.log`),
    });
    await this.process.ready;
  }

  signal(signal: NodeJS.Signals): void {
    this.process?.kill(signal);
  }

  /** kill -9; returns when it is gone. */
  async kill(): Promise<void> {
    this.process?.kill('SIGKILL');
    await this.process?.exited;
  }

  /** SIGTERM and its exit code. */
  async stop(): Promise<number> {
    if (!this.process) return 0;
    this.process.kill('SIGTERM');
    return this.process.exited;
  }

  /** Ends it one way or the other. */
  async end(): Promise<void> {
    if (!this.isRunning) return;
    this.process?.kill('SIGCONT'); // one that was stopped hears nothing else
    await this.process?.stop(5_000);
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.managementUrl}/metrics`)).text();
  }

  /** The sum of the series of a metric whose labels hold all of `labels`. */
  async metric(name: string, ...labels: string[]): Promise<number> {
    return metricSum(await this.metrics(), name, labels);
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.managementUrl}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}
