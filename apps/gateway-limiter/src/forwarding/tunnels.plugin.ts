import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Connections that speak another protocol since their upgrade: bytes both ways, each direction closed by itself. */
export class Tunnels {
  private readonly open = new Set<Duplex>();

  /** `idleMs`: silence in both directions that ends a tunnel. */
  constructor(private readonly idleMs: number) {}

  get count(): number {
    return this.open.size;
  }

  /** Writes the 101 and joins the two connections. `early`: what the client sent right after its head. */
  join(client: Duplex, upstream: Duplex, head: string, early: Buffer): void {
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    client.once('close', () => this.open.delete(client));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // `close` follows; without a listener an error would end the process.
      socket.on('error', cut);
      socket.once('close', () => {
        // Ended both ways: the other side may still be flushing, and ends by itself.
        if (!(socket.readableEnded && socket.writableFinished)) other.destroy();
      });
    }
    if (client.destroyed || upstream.destroyed) {
      cut();
      return;
    }
    this.open.add(client);
    // Every byte passes both sockets, so watching one is enough.
    (client as Socket).setTimeout?.(this.idleMs, cut);
    (client as Socket).setNoDelay?.(true);
    client.write(head, 'latin1');
    if (early.length > 0) upstream.write(early);
    // pipe() ends the other side's sending half when one side ends: a half-close passes through.
    client.pipe(upstream);
    upstream.pipe(client);
  }

  /** Ends all of them, politely first. Calling it again changes nothing. */
  closeAll(graceMs: number): void {
    for (const socket of this.open) {
      this.open.delete(socket);
      socket.end();
      setTimeout(() => socket.destroy(), graceMs).unref();
    }
  }
}
