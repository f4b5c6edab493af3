import { randomBytes } from 'node:crypto';
import { identifyProcess, joinEmbeddedPostgres } from '@gatepost/embedded-postgres';
import pg from 'pg';
import { cacheFolder } from './cache-folder.ts';
import { addressOf, type Provided, type Say, ServiceUnavailable } from './service.ts';

const TEST_DATABASE = /^test_(\d+)_/;

/** The shared PostgreSQL: the one that TEST_DATABASE_URL names, or the embedded one without fsync. */
export async function providePostgres(say: Say): Promise<Provided> {
  const named = process.env['TEST_DATABASE_URL'];
  if (named !== undefined) {
    await withClient(named, (client) => client.query('SELECT 1')).catch((error: Error) => {
      throw new ServiceUnavailable(
        `the server of TEST_DATABASE_URL refuses: ${error.message}`,
        'unset TEST_DATABASE_URL',
      );
    });
    return { address: named, release: async () => undefined };
  }
  const dataDir = cacheFolder('postgres');
  const { url, leave } = await joinEmbeddedPostgres({
    dataDir,
    database: 'postgres',
    durable: false,
    maxConnections: 300,
    log: say,
  });
  await dropForgottenDatabases(url);
  return { address: url, release: leave };
}

/** A fresh, empty database for one suite. The user of its URL may do everything. */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = addressOf('postgres');
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      // FORCE: a pool that a test forgot to close must not keep its database.
      await withClient(server, (client) =>
        client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      );
    },
  };
}

/** Databases of test processes that were killed before they could drop them. */
async function dropForgottenDatabases(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    for (const { datname } of rows) {
      const pid = TEST_DATABASE.exec(datname)?.[1];
      if (pid === undefined || identifyProcess(Number(pid)) !== undefined) continue;
      await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
    }
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // the work's own promise tells
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}
