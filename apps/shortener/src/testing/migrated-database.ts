import { fileURLToPath } from 'node:url';
import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createTestDatabase } from '@gatepost/test-services';

export const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

export interface MigratedDatabase {
  readonly url: string;
  readonly pool: Pool;
  /** Empties every table but the registry of codes, which nothing can empty. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** A fresh database with the tables of the service, for one suite. */
export async function openMigratedDatabase(): Promise<MigratedDatabase> {
  const database = await createTestDatabase();
  await migrate({ url: database.url, folder: MIGRATIONS });
  const pool = openPool({ url: database.url, applicationName: 'spec' });
  return {
    url: database.url,
    pool,
    empty: async () => {
      const { rows } = await pool.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
         AND relkind IN ('r', 'p') AND relname NOT IN ('link_codes', '_prisma_migrations')`,
      );
      await pool.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')}`);
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
