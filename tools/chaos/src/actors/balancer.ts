import { connect, createServer, type Socket } from 'node:net';
import type { App } from '../app.ts';
import type { Stage } from '../stage.ts';

const LOOK_EVERY_MS = 100;

/**
 * A TCP load balancer as it stands before the gateways: new connections go in turn to those that say they are ready,
 * and what is open stays where it is.
 */
export class Balancer {
  private ready: readonly App[];
  private turn = 0;

  private constructor(private readonly apps: readonly App[]) {
    this.ready = apps;
  }

  /** Gives its address. */
  static async open(stage: Stage, apps: readonly App[]): Promise<string> {
    const balancer = new Balancer(apps);
    const looking = setInterval(() => void balancer.look(), LOOK_EVERY_MS);
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      sockets.add(client);
      client.once('close', () => sockets.delete(client));
      balancer.pass(client, apps.length);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stage.onEnd(() => {
      clearInterval(looking);
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  private async look(): Promise<void> {
    const answers = await Promise.all(this.apps.map((app) => app.isReady()));
    this.ready = this.apps.filter((_, index) => answers[index]);
  }

  /** A server that refuses the connection is passed over; once it is open, its end is the client's. */
  private pass(client: Socket, attempts: number): void {
    const app = this.ready[this.turn++ % Math.max(1, this.ready.length)];
    if (!app || attempts === 0) {
      client.destroy();
      return;
    }
    const server = connect({
      port: app.port,
      host: '127.0.0.1',
      allowHalfOpen: true,
      noDelay: true,
    });
    const refused = () => this.pass(client, attempts - 1);
    server.once('error', refused);
    server.once('connect', () => {
      server.off('error', refused);
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.end());
        one.pipe(other);
      }
    });
  }
}
