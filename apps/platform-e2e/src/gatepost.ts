import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../../tools/cli/bin/gatepost.mjs', import.meta.url));

export interface Ended {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line as a person starts it, in an environment of its own. */
export class Gatepost {
  constructor(private readonly environment: Readonly<Record<string, string>>) {}

  /** Runs a command to its end. */
  run(...words: string[]): Promise<Ended> {
    return this.start(...words).ended;
  }

  /** Starts a command that waits for a person; `said` resolves with what it writes to standard error. */
  start(...words: string[]): { ended: Promise<Ended>; said: (what: RegExp) => Promise<string> } {
    const child: ChildProcess = spawn(process.execPath, [BIN, ...words], {
      env: { PATH: process.env['PATH'] ?? '', ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const written = { out: '', err: '' };
    child.stdout?.on('data', (chunk) => {
      written.out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      written.err += chunk;
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode) => resolve({ exitCode, ...written }));
    });
    const said = (what: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const [, found] = what.exec(written.err) ?? [];
          if (found) resolve(found);
        };
        child.stderr?.on('data', look);
        look();
        void ended.then(({ err }) => reject(new Error(`ended without saying ${what}:\n${err}`)));
      });
    return { ended, said };
  }
}
