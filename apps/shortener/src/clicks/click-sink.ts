import type { Click } from './click.ts';

/** Where clicks go. Two ways exist: Kafka, and the rollup in process. */
export abstract class ClickSink {
  /** Takes a click, after the response was sent. Never waits and never throws: what cannot be kept is dropped and counted. */
  abstract record(click: Click): void;

  /** Resolves once everything recorded before the call is delivered, or was given up. */
  abstract flush(): Promise<void>;
}
