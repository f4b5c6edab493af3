import type { App } from '../app.ts';
import {
  type Admission,
  type Bucket,
  checkLimiterBound,
  checkLimiterGrants,
} from '../checkers/limiter-bound.ts';
import { History, type Operation } from '../history.ts';
import { Client } from '../http.ts';
import { OpenLoop } from '../open-loop.ts';
import type { Stage } from '../stage.ts';
import { type ClockReading, storeTime } from '../store-time.ts';

/** Holders of API keys who ask all gateways in turn, each for more than its bucket gives. */
export class LimitedLoad {
  readonly history = new History<string, number>();
  private readonly loop: OpenLoop;
  private readonly client = new Client(256);

  constructor(
    stage: Stage,
    private readonly keys: readonly string[],
    gateways: readonly App[],
    perSecond: number,
  ) {
    stage.onEnd(() => this.client.close());
    this.loop = new OpenLoop(perSecond, async (number) => {
      const key = keys[number % keys.length] ?? '';
      const gateway = gateways[Math.floor(number / keys.length) % gateways.length];
      await this.history.record(key, async () => {
        const question = { url: `${gateway?.url}/page`, headers: { 'x-api-key': key } };
        return (await this.client.ask(question)).status;
      });
    });
    stage.onEnd(() => this.loop.stop());
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  admitted(key: string): Operation<string, number>[] {
    return this.history.operations.filter(({ call, outcome }) => call === key && outcome === 200);
  }

  count(status: number): number {
    return this.history.operations.filter(({ outcome }) => outcome === status).length;
  }

  /** Judges what was begun before `untilMs`, key by key. */
  judge(
    bucket: Bucket,
    clock: readonly ClockReading[],
    options: {
      readonly untilMs?: number;
      readonly allowance?: (admitted: readonly Operation<string, number>[]) => number;
      /** Undefined: it was not under full load throughout. */
      readonly grants?: number;
    } = {},
  ): string[] {
    const { untilMs = Number.POSITIVE_INFINITY, allowance = () => 0, grants } = options;
    const time = storeTime(clock);
    if (time === undefined) return ['the clock of the store was set, or could not be read'];
    return this.keys.flatMap((key) => {
      const admitted = this.admitted(key).filter(({ startMs }) => startMs < untilMs);
      const admissions: Admission[] = admitted.map(({ startMs, endMs }) => ({
        fromMs: time.earliest(startMs),
        untilMs: time.latest(endMs),
      }));
      const first = Math.min(...admitted.map(({ startMs }) => startMs));
      const last = Math.max(...admitted.map(({ startMs }) => startMs));
      return [
        ...checkLimiterBound(admissions, bucket, allowance(admitted)),
        ...(grants === undefined
          ? []
          : checkLimiterGrants(admitted.length, bucket, {
              seconds: (last - first) / 1_000,
              share: grants,
            })),
      ].map((fault) => `${key}: ${fault}`);
    });
  }
}
