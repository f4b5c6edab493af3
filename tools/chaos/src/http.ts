import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Question {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
}

/** What came back. Status 0: nothing, or not all of it; `lost` says why. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly lost?: string;
}

/** A client with connections of its own, kept alive. It follows no redirect and sends nothing twice. */
export class Client {
  private readonly agent: Agent;

  constructor(connections = 64) {
    // In turn: a connection that is never used would never hear that it is to be closed.
    this.agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  }

  ask({ url, method = 'GET', headers = {}, body, timeoutMs = 30_000 }: Question): Promise<Answer> {
    return new Promise((resolve) => {
      const outgoing = request(url, { method, agent: this.agent, headers: { ...headers } });
      const lose = (error: Error) => {
        clearTimeout(limit);
        const code = (error as NodeJS.ErrnoException).code;
        resolve({ status: 0, headers: {}, text: '', lost: code ?? error.message });
      };
      const limit = setTimeout(
        () => outgoing.destroy(new Error(`no answer in ${timeoutMs} ms`)),
        timeoutMs,
      );
      outgoing.once('error', lose);
      outgoing.once('response', (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        incoming.once('error', lose);
        incoming.once('end', () => {
          clearTimeout(limit);
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        });
      });
      outgoing.end(body);
    });
  }

  postJson(
    url: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.ask({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
