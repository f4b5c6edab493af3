import { connect, type Socket } from 'node:net';

/** A connection to the gateway on which anything may be said. */
export class RawConnection {
  private received = '';
  private closed = false;
  private readonly listeners = new Set<() => void>();

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.received = (this.received + text).slice(0, 4_096);
      for (const listener of this.listeners) listener();
    });
    socket.on('close', () => {
      this.closed = true;
      for (const listener of this.listeners) listener();
    });
    socket.on('error', () => undefined); // 'close' follows
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      const connection = new RawConnection(socket);
      socket.once('connect', () => resolve(connection));
      socket.once('error', reject);
    });
  }

  say(bytes: string): void {
    this.socket.write(Buffer.from(bytes, 'latin1'));
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** The status of the first answer; 0 when the connection closes without one, or nothing comes in time. */
  async status(withinMs: number): Promise<number> {
    const read = () => Number(/^HTTP\/1\.1 (\d{3}) /.exec(this.received)?.[1] ?? 0);
    await this.waitFor(() => read() !== 0 || this.closed, withinMs);
    return read();
  }

  /** Whether the other side ended it in time. */
  closes(withinMs: number): Promise<boolean> {
    return this.waitFor(() => this.closed, withinMs);
  }

  destroy(): void {
    this.socket.destroy();
  }

  private waitFor(fact: () => boolean, withinMs: number): Promise<boolean> {
    if (fact()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (isSo: boolean) => {
        clearTimeout(limit);
        this.listeners.delete(look);
        resolve(isSo);
      };
      const look = () => fact() && finish(true);
      const limit = setTimeout(() => finish(false), withinMs);
      this.listeners.add(look);
    });
  }
}
