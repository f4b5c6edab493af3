import { connect, createServer, type Server, type Socket } from 'node:net';

/** Connections that can be cut, and stay cut until they are restored: a server that is away, without stopping a shared one. */
export class BreakableNetwork {
  private readonly open = new Set<Socket>();
  private isCut = false;

  /** Every connection breaks now, and every new one. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.open) breakOff(socket);
  }

  restore(): void {
    this.isCut = false;
  }

  /** Dials for a client that lets its sockets be made. */
  dial({ host, port }: { host: string; port: number }, onConnect?: () => void): Socket {
    const socket = connect({ host, port });
    this.add(socket);
    socket.once('connect', () => {
      if (this.isCut) breakOff(socket);
      else onConnect?.();
    });
    return socket;
  }

  /** Listens before a server, for a client that does not. */
  async listenBefore(target: {
    host: string;
    port: number;
  }): Promise<{ port: number; close(): void }> {
    const server: Server = createServer((client) => {
      this.add(client);
      const behind = this.dial(target);
      client.pipe(behind).pipe(client);
      client.on('close', () => behind.destroy());
      behind.on('close', () => client.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      port: (server.address() as { port: number }).port,
      close: () => {
        this.cut();
        server.close();
      },
    };
  }

  private add(socket: Socket): void {
    socket.on('error', () => undefined); // cut
    this.open.add(socket);
    socket.on('close', () => this.open.delete(socket));
    if (this.isCut) breakOff(socket);
  }
}

/** As the other side's reset would. */
function breakOff(socket: Socket): void {
  socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
}
