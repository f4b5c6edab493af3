import { inTransaction, type Pool } from '@gatepost/postgres';
import { type Partition, parsePartition } from './partitions.ts';

// Two workers that miss the same partition take turns; the number only has to be the same in all of them.
const ADVISORY_LOCK = 72_707_370;

/** Makes and drops the partitions of clicks. */
export class PartitionRepository {
  private readonly known = new Set<string>();

  constructor(private readonly pool: Pool) {}

  /** Makes what is missing. Attached rather than created in place, which writers of the table would have to wait for. */
  async ensure(partitions: readonly Partition[]): Promise<void> {
    const missing = partitions.filter(({ name }) => !this.known.has(name));
    if (missing.length === 0) return;
    await inTransaction(this.pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
      for (const { table, name, from, to } of missing) {
        const found = await client.query('SELECT to_regclass($1) AS oid', [`${SCHEMA}.${name}`]);
        if (found.rows[0].oid !== null) continue;
        await client.query(
          `CREATE TABLE ${SCHEMA}.${name} (LIKE ${table} INCLUDING ALL)${STORAGE[table] ?? ''}`,
        );
        await client.query(
          `ALTER TABLE ${table} ATTACH PARTITION ${SCHEMA}.${name} FOR VALUES FROM ('${bound(from)}') TO ('${bound(to)}')`,
        );
      }
    });
    for (const { name } of missing) this.known.add(name);
  }

  /** Another process may have dropped what this one remembers. */
  forget(): void {
    this.known.clear();
  }

  async list(): Promise<Partition[]> {
    const { rows } = await this.pool.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = '${SCHEMA}' AND c.relkind = 'r' ORDER BY c.relname`,
    );
    return rows.flatMap(({ name }) => parsePartition(name) ?? []);
  }

  /** Drops a partition, unless that would keep writers waiting: then it says false, and the next run tries again. */
  async drop({ name }: Partition): Promise<boolean> {
    try {
      await inTransaction(this.pool, async (client) => {
        await client.query("SET LOCAL lock_timeout = '2s'");
        await client.query(`DROP TABLE IF EXISTS ${SCHEMA}.${name}`);
      });
      this.known.delete(name);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return false;
      throw error;
    }
  }
}

const SCHEMA = 'click_partitions';
const LOCK_NOT_AVAILABLE = '55P03';

/** Counts grow in place where a page has room. */
const STORAGE: Readonly<Record<string, string>> = { click_minutes: ' WITH (fillfactor = 80)' };

function bound(time: number): string {
  return new Date(time).toISOString();
}
