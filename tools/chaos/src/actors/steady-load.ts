import { History } from '../history.ts';
import { type Answer, Client } from '../http.ts';
import { OpenLoop } from '../open-loop.ts';
import type { Stage } from '../stage.ts';

const PER_SECOND = 80;
const MACHINE = `Basic ${Buffer.from('demo-m2m:demo-m2m-secret').toString('base64')}`;
const TURNS = ['redirect', 'redirect', 'token', 'redirect', 'redirect', 'create'];

export interface SteadyLoadOptions {
  /** The gateways. */
  readonly url: string;
  readonly codes: readonly string[];
}

/** What the platform does all day: redirects, creates with a token, and tokens. */
export class SteadyLoad {
  readonly history = new History<string, number>();
  readonly clicks = new Map<string, { acknowledged: number; uncertain: number }>();
  /** Answers that were not what was asked for, to be looked at. */
  readonly surprises: { at: string; kind: string; status: number; said: string }[] = [];
  private readonly loop: OpenLoop;

  private constructor(
    stage: Stage,
    private readonly client: Client,
    private readonly options: SteadyLoadOptions,
    private token: string,
  ) {
    for (const code of options.codes) this.clicks.set(code, { acknowledged: 0, uncertain: 0 });
    this.loop = new OpenLoop(PER_SECOND, async (number) => {
      const kind = TURNS[number % TURNS.length] ?? '';
      await this.history.record(kind, () =>
        kind === 'redirect'
          ? this.visit(number)
          : kind === 'create'
            ? this.create(number)
            : this.renew(),
      );
    });
    stage.onEnd(() => this.loop.stop());
  }

  static async start(stage: Stage, options: SteadyLoadOptions): Promise<SteadyLoad> {
    const client = new Client(32);
    stage.onEnd(() => client.close());
    const { token, answer } = await askForToken(client, options.url);
    if (token === undefined) throw new Error(`no token to begin with: ${answer.status}`);
    return new SteadyLoad(stage, client, options, token);
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async visit(number: number): Promise<number> {
    const { url, codes } = this.options;
    const code = codes[number % codes.length] ?? '';
    const { status } = this.look('redirect', 302, await this.client.ask({ url: `${url}/${code}` }));
    const known = this.clicks.get(code);
    if (known && status === 302) known.acknowledged++;
    else if (known && status === 0) known.uncertain++;
    return status;
  }

  private async create(number: number): Promise<number> {
    const body = { longUrl: `https://example.com/steady/${number}` };
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await this.client.postJson(`${this.options.url}/shorten`, body, headers);
    return this.look('create', 201, answer).status;
  }

  private async renew(): Promise<number> {
    const { token, answer } = await askForToken(this.client, this.options.url);
    this.token = token ?? this.token;
    return this.look('token', 200, answer).status;
  }

  private look(kind: string, wanted: number, answer: Answer): Answer {
    const { status, text, lost } = answer;
    if (status !== wanted)
      this.surprises.push({ at: new Date().toISOString(), kind, status, said: lost ?? text });
    return answer;
  }
}

async function askForToken(
  client: Client,
  url: string,
): Promise<{ token: string | undefined; answer: Answer }> {
  const answer = await client.ask({
    url: `${url}/auth/token`,
    method: 'POST',
    headers: { authorization: MACHINE, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials&scope=links:read+links:write',
  });
  if (answer.status !== 200) return { token: undefined, answer };
  return { token: (JSON.parse(answer.text) as { access_token: string }).access_token, answer };
}
