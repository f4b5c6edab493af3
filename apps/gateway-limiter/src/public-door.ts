import { createServer, Server as HttpServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

export interface DoorOptions {
  readonly maxHeaderBytes: number;
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

/** The HTTP server of the public door; the pipeline is attached to it. */
export function createDoor(options: DoorOptions): Server {
  const common = {
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: options.headerTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveMs,
    // How exact the two limits above are.
    connectionsCheckingInterval: Math.min(1_000, options.headerTimeoutMs),
    // The pipeline answers a missing Host itself: Node's own answer would carry no rate fields.
    requireHostHeader: false,
    insecureHTTPParser: false,
    // Finds out about clients that vanished while they wait for the next event of a stream.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  const server = options.tls
    ? createTlsServer({ ...common, ...options.tls, minVersion: 'TLSv1.2' })
    : createServer(common);
  // Node silently drops fields beyond this count, a second Host among them; the pipeline counts and refuses instead.
  server.maxHeadersCount = 0;
  // Node closes idle connections in the moment it stops listening, and with them those whose request is on its way.
  // Who drains the door closes them after a pause.
  server.closeIdleConnections = () => undefined;
  return server;
}

/** What `closeIdleConnections` does on other servers. */
export function closeIdleConnections(server: Server): void {
  HttpServer.prototype.closeIdleConnections.call(server);
}
