import { History, type Operation } from '../history.ts';
import { Client } from '../http.ts';
import { OpenLoop } from '../open-loop.ts';
import type { Stage } from '../stage.ts';

/** Redirects count as answered by these. */
const REDIRECTED = [301, 302];

export interface ClickLoadOptions {
  /** Where the next request goes. */
  readonly url: () => string;
  readonly tracked: readonly string[];
  /** Codes whose visits are no clicks: they tell how fast the machine is. */
  readonly untracked: readonly string[];
  readonly perSecond: number;
}

/** Visits links at a steady rate, tracked and untracked ones in turn, and knows how many clicks that must be. */
export class ClickLoad {
  readonly history = new History<string, number>();
  /** By code: redirects that were answered, and such whose answer was lost. */
  readonly clicks = new Map<string, { acknowledged: number; uncertain: number }>();
  private readonly client = new Client(256);
  private readonly loop: OpenLoop;

  constructor(stage: Stage, options: ClickLoadOptions) {
    const { url, tracked, untracked, perSecond } = options;
    stage.onEnd(() => this.client.close());
    for (const code of tracked) this.clicks.set(code, { acknowledged: 0, uncertain: 0 });
    this.loop = new OpenLoop(perSecond, async (number) => {
      const isTracked = number % 2 === 0 || untracked.length === 0;
      const codes = isTracked ? tracked : untracked;
      const code = codes[(number >> 1) % codes.length] ?? '';
      const status = await this.history.record(isTracked ? 'tracked' : 'untracked', async () => {
        return (await this.client.ask({ url: `${url()}/${code}` })).status;
      });
      const known = this.clicks.get(code);
      if (known && REDIRECTED.includes(status)) known.acknowledged++;
      else if (known && status === 0) known.uncertain++;
    });
    stage.onEnd(() => this.loop.stop());
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  get acknowledged(): number {
    return [...this.clicks.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  /** What was begun within a time. */
  begun(kind: string, fromMs: number, untilMs: number): Operation<string, number>[] {
    return this.history.operations.filter(
      ({ call, startMs }) => call === kind && startMs >= fromMs && startMs < untilMs,
    );
  }
}
