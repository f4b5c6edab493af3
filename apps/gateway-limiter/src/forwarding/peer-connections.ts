import { buildConnector, Client, type Dispatcher } from 'undici';
import type { PoolOptions } from './routes.ts';

/** Head of an upstream's answer, all fields together; more than clients may send, for servers set larger cookies. */
const MAX_ANSWER_HEAD_BYTES = 64 * 1024;

/** Who has a connection for one request, and gives it back at the end. */
export interface Borrower extends Dispatcher.DispatchHandler {
  connection: Client | undefined;
}

interface Waiting {
  readonly request: Dispatcher.DispatchOptions;
  readonly borrower: Borrower;
}

/**
 * Connections to one peer: the one that served last serves next, so that the others may end when they are not needed.
 * undici's Pool does the same work with a second dispatch, an event and a search for each request.
 */
export class PeerConnections {
  private readonly all = new Set<Client>();
  private readonly idle: Client[] = [];
  private readonly waiting: Waiting[] = [];
  private readonly connect: buildConnector.connector;
  private isClosing = false;

  constructor(
    private readonly origin: string,
    private readonly options: PoolOptions,
  ) {
    this.connect = buildConnector({
      timeout: options.connectTimeoutMs,
      // A tunnel closes each direction by itself.
      allowHalfOpen: true,
      keepAliveInitialDelay: 30_000,
    } as buildConnector.BuildOptions);
  }

  get count(): number {
    return this.all.size;
  }

  /** Sends the request as soon as there is a connection for it. */
  dispatch(request: Dispatcher.DispatchOptions, borrower: Borrower): void {
    const client =
      this.idle.pop() ?? (this.all.size < this.options.connections ? this.open() : undefined);
    if (client) lend(client, request, borrower);
    else this.waiting.push({ request, borrower });
  }

  /** On a connection of its own: the idle ones may all have gone stale together, as after a restart of the peer. */
  dispatchFresh(request: Dispatcher.DispatchOptions, borrower: Borrower): void {
    lend(this.open(), request, borrower);
  }

  /** A connection comes back; `isClean`: it may serve again. */
  giveBack(client: Client, isClean: boolean): void {
    const isKept = isClean && (!this.isClosing || this.waiting.length > 0);
    if (!isKept) this.drop(client);
    const next = this.waiting.shift();
    if (next) {
      // Not here: undici is still in the middle of the request that just ended.
      setImmediate(() => lend(isKept ? client : this.open(), next.request, next.borrower));
    } else if (isKept) this.idle.push(client);
  }

  /** A client that is not one of the pool's, for a probe. */
  openProbe(): Client {
    return new Client(this.origin, this.clientOptions());
  }

  /** Lets what is under way and what waits finish. */
  close(): void {
    this.isClosing = true;
    for (const client of this.idle.splice(0)) this.drop(client);
  }

  async destroy(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.all].map((client) => client.destroy()));
  }

  private open(): Client {
    const client = new Client(this.origin, this.clientOptions());
    this.all.add(client);
    client.on('disconnect', () => {
      // The server or the time limit ended an idle connection. One that is lent comes back by itself.
      const index = this.idle.indexOf(client);
      if (index < 0) return;
      this.idle.splice(index, 1);
      this.drop(client);
    });
    return client;
  }

  private drop(client: Client): void {
    this.all.delete(client);
    setImmediate(() => void client.destroy());
  }

  private clientOptions(): Client.Options {
    return {
      connect: this.connect,
      pipelining: 1,
      headersTimeout: this.options.headTimeoutMs,
      bodyTimeout: this.options.bodyIdleMs,
      maxHeaderSize: MAX_ANSWER_HEAD_BYTES,
      // Without a hint of the server (Keep-Alive: timeout=) an idle connection is left before Node's own 5 s pass.
      keepAliveTimeout: 4_000,
    };
  }
}

function lend(client: Client, request: Dispatcher.DispatchOptions, borrower: Borrower): void {
  borrower.connection = client;
  client.dispatch(request, borrower);
}
