import { accessSync, constants, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { APPS, type PlatformSettings } from './settings.ts';

const PORT_VARIABLES: Readonly<Record<string, [string, string]>> = {
  'gateway-limiter': ['GATEWAY_PORT', 'GATEWAY_MANAGEMENT_PORT'],
  'auth-server': ['AUTH_PORT', 'AUTH_MANAGEMENT_PORT'],
  shortener: ['SHORTENER_PORT', 'SHORTENER_MANAGEMENT_PORT'],
};

/** What stands in the way of a start, as one sentence, or undefined. Looked for before anything is started. */
export async function findObstacle(settings: PlatformSettings): Promise<string | undefined> {
  try {
    mkdirSync(settings.dataDir, { recursive: true });
    accessSync(settings.dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    return `The folder ${settings.dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}); make it writable or set DATA_DIR to another one.`;
  }
  for (const app of APPS) {
    const [portVariable = '', managementVariable = ''] = PORT_VARIABLES[app] ?? [];
    const { port, managementPort } = settings.ports[app];
    for (const [variable, number] of [
      [portVariable, port],
      [managementVariable, managementPort],
    ] as const) {
      const code = await tryListen(number);
      if (code === 'EADDRINUSE')
        return `Port ${number} (${app}) is in use; stop what listens there or set ${variable} to another port.`;
      if (code)
        return `Port ${number} (${app}) cannot be opened (${code}); set ${variable} to another port.`;
    }
  }
  return undefined;
}

function tryListen(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
      server.close(() => resolve(undefined)),
    );
  });
}
