import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CommandFailed } from '../command-failed.ts';
import { type CallbackPage, PAGE_HEADERS, renderCallbackPage } from './callback-page.ts';

const CALLBACK_PATH = '/callback';
const RESULT_PATH = '/done';
/** The browser fetches its last page within moments; it must not hold up the command. */
const LAST_PAGE_MS = 1_500;

export interface CallbackHandler<T> {
  /** Undefined when the callback belongs to no login of ours: the wait goes on. What it throws ends the wait. */
  readonly answer: (callback: URL) => Promise<T | undefined>;
  readonly toPage: (outcome: T) => CallbackPage;
}

/** Waits on the loopback interface for the browser to come back (RFC 8252 §7.3). */
export class LoopbackCallback {
  #answer: ((callback: URL) => Promise<CallbackPage | undefined>) | undefined;
  #page: CallbackPage | undefined;
  #isShown: () => void = () => undefined;

  private constructor(
    private readonly server: Server,
    readonly redirectUri: string,
  ) {
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** Listens on the first of the ports that is free. */
  static async listen(ports: readonly number[]): Promise<LoopbackCallback> {
    for (const port of ports) {
      const server = createServer({ requestTimeout: 10_000 });
      if (!(await startListening(server, port))) continue;
      const bound = (server.address() as { port: number }).port;
      return new LoopbackCallback(server, `http://127.0.0.1:${bound}${CALLBACK_PATH}`);
    }
    throw new CommandFailed(`The ports ${ports.join(', ')} are all in use.`, {
      cure: 'Free one of them, or sign in with "gatepost login --device".',
    });
  }

  /** Resolves or rejects with what the handler made of the callback, once the browser has been shown a last page. */
  async wait<T>({ answer, toPage }: CallbackHandler<T>, signal: AbortSignal): Promise<T> {
    let outcome: { value: T } | { error: unknown } | undefined;
    try {
      await new Promise<void>((isShown, abort) => {
        if (signal.aborted) return abort(signal.reason);
        signal.addEventListener('abort', () => abort(signal.reason), { once: true });
        this.#isShown = isShown;
        this.#answer = async (callback) => {
          try {
            const value = await answer(callback);
            if (value === undefined) return undefined;
            outcome = { value };
            return toPage(value);
          } catch (error) {
            outcome = { error };
            return { kind: 'failed', sentence: (error as Error).message };
          }
        };
      });
    } finally {
      await this.close();
    }
    if (outcome && 'value' in outcome) return outcome.value;
    throw outcome?.error;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    // What is being sent still leaves; browsers keep idle connections for minutes.
    setTimeout(() => this.server.closeAllConnections(), 100).unref();
    this.server.closeIdleConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page elsewhere could point a name of its own at 127.0.0.1 (DNS rebinding), but cannot forge the Host field.
    if (request.headers.host !== new URL(this.redirectUri).host) return send(response, 421);
    if (request.method !== 'GET') return send(response, 405);
    const url = new URL(request.url ?? '/', this.redirectUri);
    if (url.pathname === RESULT_PATH && this.#page) {
      response.on('finish', this.#isShown);
      return send(response, 200, this.#page);
    }
    if (url.pathname === CALLBACK_PATH && this.#answer) return this.#receive(url, response);
    send(response, 404);
  }

  async #receive(callback: URL, response: ServerResponse): Promise<void> {
    const answer = this.#answer;
    if (!answer) return send(response, 404);
    // One at a time: the same code must not be exchanged twice because a browser asks twice.
    this.#answer = undefined;
    const page = await answer(callback);
    if (!page) {
      this.#answer = answer;
      return send(response, 400, { kind: 'foreign' });
    }
    this.#page = page;
    setTimeout(this.#isShown, LAST_PAGE_MS).unref();
    // Away from the address that holds the code: it does not stay in the address bar and the history.
    response.writeHead(303, { ...PAGE_HEADERS, location: RESULT_PATH, connection: 'close' }).end();
  }
}

function send(response: ServerResponse, status: number, page?: CallbackPage): void {
  response.writeHead(status, { ...PAGE_HEADERS, connection: 'close' });
  response.end(page ? renderCallbackPage(page) : '');
}

function startListening(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}
