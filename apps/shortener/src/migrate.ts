import { fileURLToPath } from 'node:url';
import { migrate } from '@gatepost/postgres';
import { createLogger, EnvironmentRefused } from '@gatepost/service-kit';
import { environment } from './env.ts';

/** Beside `src` as beside `dist`. */
export const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** `migrate`: brings the database that DATABASE_URL names up to date, and ends. Safe to run twice, or at once. */
export async function runMigrations(): Promise<void> {
  try {
    const env = environment.parse(process.env);
    if (!env.DATABASE_URL)
      throw new EnvironmentRefused([{ variable: 'DATABASE_URL', fault: 'is missing' }]);
    const logger = createLogger({ name: 'shortener-migrate', level: env.LOG_LEVEL });
    const applied = await migrate({ url: env.DATABASE_URL, folder: MIGRATIONS });
    logger.info({ applied }, 'database is up to date');
    logger.flush?.();
  } catch (error) {
    process.stderr.write(`shortener migrate failed:\n  ${(error as Error).message}\n`);
    process.exitCode = error instanceof EnvironmentRefused ? error.exitCode : 1;
  }
}
