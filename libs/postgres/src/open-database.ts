import { join } from 'node:path';
import { openPool, type Pool, type PoolOptions } from './pool.ts';

export interface DatabaseOptions extends Omit<PoolOptions, 'url'> {
  /** Absent: the embedded PostgreSQL of development. */
  readonly url: string | undefined;
  /** Folder of the embedded server's state, shared by the apps. */
  readonly dataDir: string;
  /** Name of the service's own database in the embedded server. */
  readonly database: string;
  readonly log?: (line: string) => void;
}

export interface Database {
  readonly url: string;
  readonly pool: Pool;
  /** Closes the pool and, as the last user of an embedded server, stops that. */
  close(): Promise<void>;
}

/** Opens what `url` names, else starts or joins the embedded server. The embedded package is no production dependency. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, dataDir, database, log, ...poolOptions } = options;
  if (url) {
    const pool = openPool({ url, ...poolOptions });
    return { url, pool, close: () => pool.end() };
  }
  const { joinEmbeddedPostgres } = await import('@gatepost/embedded-postgres');
  const joined = await joinEmbeddedPostgres({
    dataDir: join(dataDir, 'postgres'),
    database,
    ...(log ? { log } : {}),
  });
  const pool = openPool({ url: joined.url, ...poolOptions });
  return {
    url: joined.url,
    pool,
    close: async () => {
      await pool.end();
      await joined.leave();
    },
  };
}
