import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Upstream {
  readonly origin: string;
  readonly port: number;
  readonly server: Server;
  /** Requests that arrived whole. */
  readonly seen: SeenRequest[];
  /** Connections accepted so far. */
  connections: number;
  close(): Promise<void>;
}

export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  seen: SeenRequest,
) => void;

/** A real HTTP server; without `answer` it says 200 and the request as JSON. `listener` sees requests unread. */
export async function openUpstream(
  answer: Answer = (_request, response, seen) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(seen));
  },
  listener?: RequestListener,
): Promise<Upstream> {
  const seen: SeenRequest[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 });
  server.on(
    'request',
    listener ??
      ((request, response) => {
        let body = '';
        request.setEncoding('latin1').on('data', (chunk) => {
          body += chunk;
        });
        request.on('error', () => undefined);
        request.on('end', () => {
          const { method = '', url = '', rawHeaders, headers } = request;
          const whole = { method, url, rawHeaders, headers, body };
          seen.push(whole);
          answer(request, response, whole);
        });
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    origin: `http://127.0.0.1:${port}`,
    port,
    server,
    seen,
    connections: 0,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  server.on('connection', () => {
    upstream.connections++;
  });
  return upstream;
}

/** A server of bare bytes, for answers that no HTTP library would send. `speak` gets each connection's first bytes. */
export async function openRawUpstream(
  speak: (socket: Socket, received: string) => void,
): Promise<{ origin: string; connections: Socket[]; close(): Promise<void> }> {
  const connections: Socket[] = [];
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => speak(socket, data.toString('latin1')));
    socket.on('end', () => socket.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    connections,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}
