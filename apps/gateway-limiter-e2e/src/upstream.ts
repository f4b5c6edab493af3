import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Upstream {
  readonly url: string;
  readonly seen: { readonly method: string; readonly path: string; readonly headers: object }[];
  close(): Promise<void>;
}

/** A real HTTP server behind the gateway. */
export async function openUpstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    void response.end('ok'),
): Promise<Upstream> {
  const seen: Upstream['seen'] = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
