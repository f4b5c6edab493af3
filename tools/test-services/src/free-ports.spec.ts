import { createServer } from 'node:net';
import { freePorts } from './free-ports.ts';

describe('freePorts', () => {
  it('gives distinct ports that can be listened on', async () => {
    const ports = await freePorts(20);
    expect(new Set(ports).size).toBe(20);
    const servers = await Promise.all(
      ports.map(
        (port) =>
          new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
            const server = createServer().once('error', reject);
            server.listen(port, '127.0.0.1', () => resolve(server));
          }),
      ),
    );
    for (const server of servers) server.close();
  });

  it('keeps out of the range that outgoing connections take their ports from', async () => {
    expect(Math.max(...(await freePorts(50)))).toBeLessThan(32_768);
  });
});
