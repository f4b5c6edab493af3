import type { Client, Dispatcher } from 'undici';
import { type Borrower, PeerConnections } from './peer-connections.ts';
import { PeerHealth } from './peer-health.ts';
import type { PoolOptions } from './routes.ts';

/** One server of a pool, with the connections to it. */
export class Peer {
  readonly health = new PeerHealth();
  /** Requests handed over and not yet finished, waiting ones included. */
  inFlight = 0;
  /** Name for the certificate check and SNI; never the client's Host, which undici would take otherwise. */
  readonly servername: string;
  private readonly connections: PeerConnections;
  private readonly mostInFlight: number;

  constructor(
    readonly origin: string,
    options: PoolOptions,
  ) {
    this.servername = new URL(origin).hostname;
    this.mostInFlight = options.connections + options.waiting;
    this.connections = new PeerConnections(origin, options);
  }

  get isSaturated(): boolean {
    return this.inFlight >= this.mostInFlight;
  }

  get openConnections(): number {
    return this.connections.count;
  }

  /** `isFresh`: on a connection that cannot be stale. */
  dispatch(request: Dispatcher.DispatchOptions, borrower: Borrower, isFresh: boolean): void {
    this.inFlight++;
    if (isFresh) this.connections.dispatchFresh(request, borrower);
    else this.connections.dispatch(request, borrower);
  }

  /** The request is over; `isClean`: its connection may serve again. */
  finish(connection: Client | undefined, isClean: boolean): void {
    this.inFlight--;
    if (connection) this.connections.giveBack(connection, isClean);
  }

  /** Asks for `path` on a connection of its own; any status below 400 passes. */
  async probe(path: string, timeoutMs: number): Promise<boolean> {
    const client = this.connections.openProbe();
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await client.request({ method: 'GET', path, signal });
      await answer.body.dump();
      return answer.statusCode < 400;
    } catch {
      return false;
    } finally {
      client.destroy().catch(() => undefined);
    }
  }

  /** Lets what is under way finish. */
  close(): void {
    this.connections.close();
  }

  destroy(): Promise<void> {
    return this.connections.destroy();
  }
}
