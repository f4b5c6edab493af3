import pg from 'pg';

const SUPERUSER = 'postgres';

interface Access {
  readonly port: number;
  readonly password: string;
}

export function databaseUrl(access: Access, database: string): string {
  return `postgres://${SUPERUSER}:${access.password}@127.0.0.1:${access.port}/${encodeURIComponent(database)}`;
}

export async function canConnect(access: Access): Promise<boolean> {
  const client = new pg.Client({
    connectionString: databaseUrl(access, 'postgres'),
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false; // nobody there, or somebody else
  } finally {
    await client.end();
  }
}

/** Makes the database unless it is there. */
export async function ensureDatabase(access: Access, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(access, 'postgres') });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      database,
    ]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  } catch (error) {
    // Another process that joined the same server made it in between.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await client.end();
  }
}
