import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../src/environment.ts';
import { runCommandLine, type Surroundings } from '../src/run-command-line.ts';

export interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** A home of its own for the command line, and a browser that follows redirects. */
export class Home {
  offsetMs = 0;
  /** What the browser was shown last. */
  page = '';
  visited: string[] = [];
  browse: (url: string) => Promise<void> = (url) => this.visit(url);

  private constructor(
    readonly directory: string,
    readonly variables: Record<string, string>,
  ) {}

  static async make(variables: Record<string, string>): Promise<Home> {
    return new Home(await mkdtemp(join(tmpdir(), 'gatepost-cli-')), variables);
  }

  get configDir(): string {
    return join(this.directory, 'config');
  }

  async visit(url: string): Promise<void> {
    this.visited.push(url);
    const response = await fetch(url, { redirect: 'follow' });
    this.visited.push(response.url);
    this.page = await response.text();
  }

  /** `gatepost …words` */
  async run(words: string, surroundings: Partial<Surroundings> = {}): Promise<Ran> {
    const written = { out: '', err: '' };
    const stream = (name: 'out' | 'err') => ({
      write: (text: string) => {
        written[name] += text;
      },
    });
    let browsing: Promise<unknown> = Promise.resolve();
    const exitCode = await runCommandLine(
      words.split(' ').filter((word) => word !== ''),
      {
        readEnvironment: () =>
          readEnvironment({ GATEPOST_CONFIG_DIR: this.configDir, ...this.variables }, 'linux'),
        streams: { out: stream('out'), err: stream('err') },
        version: '0.1.0',
        fetch,
        now: () => Date.now() + this.offsetMs,
        signal: new AbortController().signal,
        openBrowser: async (url) => {
          browsing = this.browse(url);
          return true;
        },
        callbackPorts: [0],
        ...surroundings,
      },
    );
    await browsing.catch(() => undefined);
    return { exitCode, ...written };
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}
