import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stage } from '../stage.ts';

/** A real HTTP server behind the gateway that does as it is told. */
export async function openUpstream(
  stage: Stage,
  answer: RequestListener = (request, response) => {
    request.resume();
    response.end('ok');
  },
): Promise<string> {
  const server = createServer({ keepAliveTimeout: 120_000 }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
