import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findObstacle } from './obstacles.ts';
import { type PlatformSettings, readSettings } from './settings.ts';

describe('what stands in the way of a start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepost-obstacles-'));
  let holder: Server;
  let taken = 0;
  beforeAll(async () => {
    holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    taken = (holder.address() as { port: number }).port;
  });
  afterAll(async () => {
    await new Promise((resolve) => holder.close(resolve));
    rmSync(folder, { recursive: true });
  });

  /** Port 0 is never in use: the tests take no fixed ports. */
  function settings(change: { dataDir?: string; shortenerPort?: number }): PlatformSettings {
    const free = { port: 0, managementPort: 0 };
    return {
      ...readSettings({}, folder),
      dataDir: change.dataDir ?? join(folder, 'data'),
      ports: {
        'gateway-limiter': free,
        'auth-server': free,
        shortener: { port: change.shortenerPort ?? 0, managementPort: 0 },
      },
    };
  }

  it('is nothing on a fresh machine', async () => {
    expect(await findObstacle(settings({}))).toBeUndefined();
  });

  it('is a port in use, named with its variable', async () => {
    expect(await findObstacle(settings({ shortenerPort: taken }))).toBe(
      `Port ${taken} (shortener) is in use; stop what listens there or set SHORTENER_PORT to another port.`,
    );
  });

  it('is a folder that cannot be made, named', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await findObstacle(settings({ dataDir: join(file, 'data') }))).toMatch(
      new RegExp(`^The folder ${file}/data cannot be written`),
    );
  });
});
