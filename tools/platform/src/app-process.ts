import { type ChildProcess, fork } from 'node:child_process';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

export interface AppProcessOptions {
  readonly name: string;
  /** The app's compiled main. */
  readonly script: string;
  /** Its command, where it has several. */
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** All output is kept here. */
  readonly logFile: string;
  /** Told each complete line of output. */
  readonly onLine?: (line: string) => void;
}

/** Why an app did not become ready: its own words, and its exit code. */
export class AppFailed extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/**
 * One app in a process of its own, in a process group of its own: Ctrl-C reaches the supervisor alone, which stops the
 * apps in order. The IPC channel tells when it is ready, and tells the app when the supervisor dies.
 */
export class AppProcess {
  private stderr = '';
  private fault: string | undefined;
  private readonly log: WriteStream;
  private readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly exited: Promise<number>;

  constructor(private readonly options: AppProcessOptions) {
    mkdirSync(dirname(options.logFile), { recursive: true });
    this.log = createWriteStream(options.logFile, { flags: 'a' });
    this.log.on('error', () => undefined); // a full disk must not stop the platform
    this.child = fork(options.script, [...(options.args ?? [])], {
      env: { ...options.env },
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    this.keepOutput();
    this.exited = new Promise((resolve) =>
      this.child.once('close', (code, signal) => resolve(code ?? (signal ? 1 : 0))),
    );
    this.ready = new Promise((resolve, reject) => {
      this.child.on(
        'message',
        (message: { type?: string }) => message.type === 'ready' && resolve(),
      );
      this.child.once('error', reject);
      void this.exited.then((code) =>
        reject(new AppFailed(this.stderr.trim() || this.lastWords(), code || 1)),
      );
    });
    this.ready.catch(() => undefined); // an app that fails after it was ready is the supervisor's to see
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Asks the app to drain; ends it by force when it takes longer than `limitMs`. */
  async stop(limitMs = 30_000): Promise<void> {
    if (!this.isRunning) return;
    this.child.kill('SIGTERM');
    const force = setTimeout(() => this.child.kill('SIGKILL'), limitMs);
    await this.exited;
    clearTimeout(force);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** What a failed start logged last, in one sentence. */
  private lastWords(): string {
    const { name, logFile } = this.options;
    return `${name} could not start${this.fault ? `: ${this.fault}` : ''}. Its log is ${logFile}.`;
  }

  private keepOutput(): void {
    let rest = '';
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.log.write(text);
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        this.fault = faultOf(line) ?? this.fault;
        this.options.onLine?.(line);
      }
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log.write(text);
      this.stderr = (this.stderr + text).slice(-8_192);
    });
  }
}

function faultOf(line: string): string | undefined {
  if (!line.includes('"level":"fatal"')) return undefined;
  const { err, msg } = JSON.parse(line) as { err?: { message?: string }; msg?: string };
  return err?.message ?? msg;
}
