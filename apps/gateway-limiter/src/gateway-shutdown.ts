import type { Server } from 'node:http';
import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { Tunnels } from './forwarding/tunnels.plugin.ts';
import { closeIdleConnections } from './public-door.ts';

/** How long a connection that is open already may still bring a request. */
const LATECOMERS_MS = 500;

/** How long upgraded connections have to say goodbye, and half requests to become whole. */
const GRACE_MS = 1_000;

/** Ends what a closing server would wait for without end: tunnels, and connections that sent half a request. */
export class GatewayShutdown implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly server: Server,
    private readonly door: { readonly inFlight: number },
    private readonly tunnels: Tunnels,
    private readonly parts: { readonly limitMs: number; readonly close: () => Promise<void> },
  ) {}

  /** Not awaited: the server closes meanwhile, and its end waits for these connections. */
  beforeApplicationShutdown(): void {
    const begun = performance.now();
    const deadline = begun + this.parts.limitMs;
    let quietSince: number | undefined;
    const look = setInterval(() => {
      const now = performance.now();
      if (now - begun > LATECOMERS_MS) closeIdleConnections(this.server);
      if (this.door.inFlight > 0 && now < deadline) {
        quietSince = undefined;
        return;
      }
      quietSince ??= now;
      // Tunnels come last, once all requests are answered; then whatever still holds a connection open.
      this.tunnels.closeAll(GRACE_MS);
      if (now - quietSince < GRACE_MS && now < deadline) return;
      clearInterval(look);
      this.server.closeAllConnections();
    }, 25);
    this.server.once('close', () => clearInterval(look));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.close();
  }
}
