import type { CliEnvironment } from './environment.ts';
import type { Terminal } from './terminal.ts';

/** What every command is given. */
export interface Context {
  readonly environment: CliEnvironment;
  /** `--base-url`, or `GATEPOST_URL`. */
  readonly baseUrl: string;
  readonly terminal: Terminal;
  readonly fetch: typeof fetch;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Starts the user's browser; false when there is none. */
  readonly openBrowser: (url: string) => Promise<boolean>;
  /** Where the browser may come back to, in this order. */
  readonly callbackPorts: readonly number[];
}
