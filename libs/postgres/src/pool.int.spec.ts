import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { openPool } from './pool.ts';

describeWith(['postgres'], 'a pool', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function preparedBy(url: string): Promise<string[]> {
    const pool = openPool({ url, applicationName: 'spec', maxConnections: 1 });
    try {
      const { rows } = await pool.query({
        name: 'a-name',
        text: 'SELECT $1::int + 1 AS sum',
        values: [1],
      });
      expect(rows).toEqual([{ sum: 2 }]);
      const prepared = await pool.query('SELECT name FROM pg_prepared_statements');
      return prepared.rows.map(({ name }) => name);
    } finally {
      await pool.end();
    }
  }

  it('prepares named statements', async () => {
    expect(await preparedBy(database.url)).toEqual(['a-name']);
  });

  it('names no statement behind a pooler in transaction mode (`?pgbouncer=true`)', async () => {
    expect(await preparedBy(`${database.url}?pgbouncer=true`)).toEqual([]);
  });
});
