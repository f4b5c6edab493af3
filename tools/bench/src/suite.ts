import type { SuiteReport } from './report.ts';

export interface SuiteContext {
  readonly rounds: number;
  readonly seconds: number;
  readonly redisUrl: string;
  readonly kafkaBrokers: readonly string[];
  /** A fresh database each time. */
  readonly createDatabase: () => Promise<string>;
  readonly say: (text: string) => void;
}

export interface Suite {
  /** As `--only` names it. */
  readonly name: string;
  /** More than one report where it measures more than one kind of operation. */
  run(context: SuiteContext): Promise<SuiteReport | readonly SuiteReport[]>;
}
