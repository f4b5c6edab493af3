import { History } from '../history.ts';
import { Client } from '../http.ts';
import { OpenLoop } from '../open-loop.ts';
import type { Stage } from '../stage.ts';
import { quantile } from '../waits.ts';

const PER_SECOND = 100;
/** A calm p99 is doubled, and this is added: on a small machine the trouble makers take CPU too. */
const PATIENCE_MS = 250;

/** Ordinary clients who want nothing but their answer while others make trouble. */
export class Bystanders {
  readonly history = new History<string, number>();
  private readonly client = new Client(32);
  private readonly loop: OpenLoop;

  constructor(stage: Stage, url: string) {
    stage.onEnd(() => this.client.close());
    this.loop = new OpenLoop(PER_SECOND, async () => {
      await this.history.record('bystander', async () => (await this.client.ask({ url })).status);
    });
    stage.onEnd(() => this.loop.stop());
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** p99 of what was begun in a time, ms. */
  p99(fromMs: number, untilMs: number): number {
    const times = this.history.operations
      .filter(({ startMs }) => startMs >= fromMs && startMs < untilMs)
      .map(({ startMs, endMs }) => endMs - startMs);
    return quantile(times, 0.99);
  }

  /** Everybody was answered 200, and in the trouble not much later than before. */
  judge(calm: readonly [number, number], trouble: readonly [number, number]): string[] {
    const { operations } = this.history;
    const failed = operations.filter(({ outcome }) => outcome !== 200);
    const [before, during] = [this.p99(...calm), this.p99(...trouble)];
    const allowed = 2 * before + PATIENCE_MS;
    return [
      ...(operations.length === 0 ? ['nobody asked'] : []),
      ...(failed.length === 0
        ? []
        : [
            `${failed.length} of ${operations.length} bystanders were not served: ${[...new Set(failed.map(({ outcome }) => outcome))].join(', ')}`,
          ]),
      ...(during <= allowed
        ? []
        : [
            `bystanders waited ${during.toFixed(0)} ms at p99, ${allowed.toFixed(0)} ms are allowed`,
          ]),
    ];
  }
}
