import type { Phase } from '../checkers/availability.ts';
import { History, type Operation } from '../history.ts';
import { Client } from '../http.ts';
import { OpenLoop } from '../open-loop.ts';
import type { Stage } from '../stage.ts';

/** The kinds of requests, in the order in which they take turns; some come more often than others. */
const TURNS = ['cached', 'cached', 'uncached', 'cached', 'absent', 'cached', 'create', 'cached'];

export interface LinkLoadOptions {
  readonly url: string;
  /** Codes that are visited again and again. */
  readonly cached: readonly string[];
  /** Codes that are visited once each. */
  readonly uncached: readonly string[];
  readonly perSecond: number;
  /** Length of the destinations that are created; absent: short. */
  readonly longUrlCharacters?: number;
}

/** What the kinds are answered while everything is there. */
export const WITH_ALL: Phase['allowed'] = {
  cached: [302],
  uncached: [302],
  absent: [404],
  create: [201],
};
/** While Postgres may be there or not: either answer, and nothing else. */
export const EITHER: Phase['allowed'] = {
  cached: [302],
  uncached: [302, 503],
  absent: [404, 503],
  create: [201, 503],
};

/** Redirects and creates at a steady rate. Kinds: cached, uncached, absent (a code that nobody has), create. */
export class LinkLoad {
  readonly history = new History<string, number>();
  /** Destination by code, of every create that was told 201. */
  readonly acknowledged = new Map<string, string>();
  private readonly client = new Client(256);
  private readonly loop: OpenLoop;
  private visits = 0;

  constructor(
    stage: Stage,
    private readonly options: LinkLoadOptions,
  ) {
    stage.onEnd(() => this.client.close());
    this.loop = new OpenLoop(options.perSecond, async (number) => {
      const kind = TURNS[number % TURNS.length] ?? '';
      await this.history.record(kind, () =>
        kind === 'create' ? this.create(number) : this.visit(kind, number),
      );
    });
    stage.onEnd(() => this.loop.stop());
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  of(kind: string): Operation<string, number>[] {
    return this.history.operations.filter(({ call }) => call === kind);
  }

  /** Every acknowledged create leads where it was told to. */
  async checkAcknowledged(url: string): Promise<string[]> {
    const wrong: string[] = [];
    for (const [code, destination] of this.acknowledged) {
      const { status, headers } = await this.client.ask({ url: `${url}/${code}` });
      if (status !== 302 || headers.location !== destination) wrong.push(`${code} (${status})`);
    }
    if (this.acknowledged.size === 0) return ['no create was acknowledged'];
    return wrong.length === 0
      ? []
      : [`${wrong.length} acknowledged creates are lost: ${wrong.slice(0, 5).join(', ')}`];
  }

  private async visit(kind: string, number: number): Promise<number> {
    const { url, cached, uncached } = this.options;
    const code =
      kind === 'cached'
        ? cached[number % cached.length]
        : kind === 'uncached'
          ? uncached[this.visits++]
          : `zz${String(number).padStart(5, '0')}`;
    if (code === undefined) throw new Error('all codes that nobody has visited are used up');
    return (await this.client.ask({ url: `${url}/${code}` })).status;
  }

  private async create(number: number): Promise<number> {
    const { url, longUrlCharacters = 0 } = this.options;
    const longUrl = `https://example.com/created/${number}?`.padEnd(longUrlCharacters, 'x');
    const { status, text } = await this.client.postJson(`${url}/shorten`, { longUrl });
    if (status === 201) this.acknowledged.set((JSON.parse(text) as { code: string }).code, longUrl);
    return status;
  }
}
