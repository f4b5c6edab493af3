import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

// Below what the operating system gives to outgoing connections (from 32768 on Linux): a port of that range that is free now
// may be the near end of anybody's connection a moment later.
const LOWEST = 20_000;
const BEYOND = 32_000;

/**
 * Distinct free ports of the loopback address, for processes that must be told their port before they listen.
 * All are held at once before any is given back.
 */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  while (held.length < count) {
    const server = await hold(randomInt(LOWEST, BEYOND));
    if (server) held.push(server);
  }
  const ports = held.map((server) => (server.address() as { port: number }).port);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
