import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a server, whose connection can be cut or frozen as a network does it. */
export class BreakableProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private isFrozen = false;
  private ownPort = 0;

  constructor(private readonly target: { host: string; port: number }) {}

  /** In front of the server that `url` names. */
  static async inFrontOf(url: string): Promise<{ proxy: BreakableProxy; url: string }> {
    const address = new URL(url);
    const port = Number(address.port) || (address.protocol === 'redis:' ? 6379 : 5432);
    const proxy = new BreakableProxy({ host: address.hostname, port });
    address.hostname = '127.0.0.1';
    address.port = String(await proxy.open());
    return { proxy, url: address.href };
  }

  /** Listens, on the same port as before if there was one. */
  async open(): Promise<number> {
    if (this.server) return this.ownPort;
    const server = createServer((client) => this.join(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.ownPort, '127.0.0.1', resolve);
    });
    this.server = server;
    this.ownPort = (server.address() as { port: number }).port;
    return this.ownPort;
  }

  /** Connections break, new ones are refused: the server has gone. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /** Connections stay and nothing comes through: the server hangs. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  thaw(): void {
    this.isFrozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  private join(client: Socket): void {
    const upstream = connect(this.target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.isFrozen) from.pause();
    }
  }
}
