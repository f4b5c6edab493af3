import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '@gatepost/test-services';
import { TokenIssuer, type TokenWishes } from './token-issuer.ts';

export const PUBLIC_URL = 'https://go.example.com';
export const MANAGEMENT_TOKEN = 'management-token-of-specs';

const MAIN = fileURLToPath(new URL('../../shortener/dist/main.js', import.meta.url));

export interface CallOptions {
  readonly method?: string;
  /** Undefined: without a token. */
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the specs find out
  readonly json: any;
}

/** A process of the built service. */
export class ShortenerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly managementUrl: string,
  ) {}

  static async start(environment: Readonly<Record<string, string>>): Promise<ShortenerProcess> {
    const child = fork(MAIN, [], {
      env: {
        PATH: process.env['PATH'],
        PUBLIC_URL,
        PORT: '0',
        MANAGEMENT_PORT: '0',
        MANAGEMENT_TOKEN,
        LOG_LEVEL: 'warn',
        ...environment,
      },
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output = (output + chunk).slice(-8_192);
      });
    const ports = await new Promise<{ port: number; managementPort: number }>((resolve, reject) => {
      child.on('message', (message) => resolve(message as never));
      child.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${output}`)));
    });
    return new ShortenerProcess(
      child,
      `http://127.0.0.1:${ports.port}`,
      `http://127.0.0.1:${ports.managementPort}`,
    );
  }

  /** Redirects are not followed; a body that is no text is sent as JSON. */
  async call(path: string, options: CallOptions = {}): Promise<Answer> {
    const { method, token, body, headers = {} } = options;
    const response = await fetch(`${this.url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parseJson(text) };
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const exited = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    return exited;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The service with a database and an issuer of its own. */
export class TestShortener {
  private readonly processes: ShortenerProcess[] = [];

  private constructor(
    private readonly database: Awaited<ReturnType<typeof createTestDatabase>>,
    private readonly issuer: TokenIssuer,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<TestShortener> {
    const database = await createTestDatabase();
    const issuer = await TokenIssuer.start(PUBLIC_URL);
    const shortener = new TestShortener(database, issuer, environment);
    await shortener.startProcess();
    return shortener;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** One more process on the same stores. */
  async startProcess(
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ShortenerProcess> {
    const started = await ShortenerProcess.start({
      DATABASE_URL: this.database.url,
      AUTH_INTERNAL_URL: this.issuer.internalUrl,
      SCAN_DESTINATIONS: 'false',
      ...this.environment,
      ...environment,
    });
    this.processes.push(started);
    return started;
  }

  get process(): ShortenerProcess {
    return this.processes[0] as ShortenerProcess;
  }

  call(path: string, options?: CallOptions): Promise<Answer> {
    return this.process.call(path, options);
  }

  token(wishes?: TokenWishes): string {
    return this.issuer.token(wishes);
  }

  /** Creates a link and returns its code. */
  async create(body: Readonly<Record<string, unknown>> = {}, token?: string): Promise<string> {
    const answer = await this.call('/shorten', {
      body: { longUrl: 'https://example.org/', ...body },
      ...(token === undefined ? {} : { token }),
    });
    if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.json.code;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.issuer.stop();
    await this.database.drop();
  }
}
