import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createLogger, createMetrics, Readiness } from '@gatepost/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { buildServer } from '../serve.ts';
import { testEnv } from './protocol-server.ts';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** The whole server over real HTTP, as it runs: protocol, pages, people. */
export interface PeopleServer {
  readonly origin: string;
  readonly app: NestFastifyApplication;
  readonly pool: Pool;
  /** What it logged. */
  readonly lines: string[];
  close(): Promise<void>;
}

export async function startPeopleServer(
  url: string,
  overrides: Record<string, string> = {},
): Promise<PeopleServer> {
  const env = testEnv(url, overrides);
  await migrate({ url, folder: MIGRATIONS });
  const pool = openPool({ url, applicationName: 'spec', maxConnections: env.DATABASE_POOL });
  const lines: string[] = [];
  const logger = createLogger({
    name: 'auth-server',
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const parts = {
    env,
    logger,
    metrics: createMetrics('auth-server'),
    readiness: new Readiness(),
  };
  const app = await buildServer(parts, pool);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    app,
    pool,
    lines,
    close: async () => {
      await app.close();
      await pool.end();
    },
  };
}
