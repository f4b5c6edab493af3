import { fileURLToPath } from 'node:url';
import { type Database, migrate, openDatabase } from '@gatepost/postgres';
import type { Logger } from '@gatepost/service-kit';
import type { AuthEnv } from './env.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** Opens the service's database, the embedded one when none is named. */
export function openAuthDatabase(env: AuthEnv, logger: Logger): Promise<Database> {
  return openDatabase({
    url: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    database: 'auth',
    applicationName: 'auth-server',
    maxConnections: env.DATABASE_POOL,
    log: (line) => logger.info(line),
    onError: (error) => logger.warn({ err: error }, 'a database connection broke'),
  });
}

/** Applies the service's migrations; returns the names of those that were new. */
export function migrateAuthDatabase(url: string): Promise<string[]> {
  return migrate({ url, folder: MIGRATIONS });
}
