import type { Pool, PoolClient } from './pool.ts';

/** Runs `work` in one transaction; rolls back and gives the connection back (or throws it away) when it fails. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks while it is checked out emits here; unheard, it ends the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollback: Error) => {
      broken = rollback;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
