import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** A migration that was edited after it ran, or that stopped half-way; the message says which and what to do. */
export class MigrationRefused extends Error {}

// Two processes that start at once must not both migrate; the number only has to be the same in all of them.
const ADVISORY_LOCK = 72_707_369;

// Prisma's own table, so that its command line agrees with what was applied here.
const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/** Reads `<folder>/<timestamp>_<name>/migration.sql`, oldest first. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'migration.sql')))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/**
 * Brings the database at `url` up to the migrations of `folder`, each in a transaction of its own, under a lock that
 * other processes wait for. Returns the names applied. Migrations of other services in the same database are left alone.
 */
export async function migrate(options: { url: string; folder: string }): Promise<string[]> {
  const migrations = readMigrations(options.folder);
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'gatepost-migrate',
  });
  client.on('error', () => undefined); // reported by the query that fails
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await client.query(BOOKKEEPING);
    const known = await appliedMigrations(client);
    const applied: string[] = [];
    for (const migration of migrations) {
      const before = known.get(migration.name);
      if (before) {
        refuseIfChanged(migration, before);
        continue;
      }
      await apply(client, migration);
      applied.push(migration.name);
    }
    return applied;
  } finally {
    await client.end();
  }
}

interface AppliedRow {
  readonly checksum: string;
  readonly finished: boolean;
}

async function appliedMigrations(client: pg.Client): Promise<Map<string, AppliedRow>> {
  const { rows } = await client.query<{
    migration_name: string;
    checksum: string;
    finished: boolean;
  }>(
    'SELECT migration_name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  return new Map(rows.map((row) => [row.migration_name, row]));
}

function refuseIfChanged(migration: Migration, before: AppliedRow): void {
  if (!before.finished)
    throw new MigrationRefused(
      `Migration ${migration.name} stopped half-way earlier; repair it and mark it in _prisma_migrations.`,
    );
  if (before.checksum !== migration.checksum)
    throw new MigrationRefused(
      `Migration ${migration.name} was edited after it was applied; add a new one instead.`,
    );
}

/**
 * A statement that waits for a table holds up everyone who comes after it, readers included, for as long as the oldest
 * transaction on that table takes. So it waits for less than any request does, steps back, and tries again.
 */
const LOCK_TIMEOUT_MS = 300;
const LOCK_PAUSE_MS = 500;
const LOCK_ATTEMPTS = 120;

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await applyOnce(client, migration);
      return;
    } catch (error) {
      if (attempt < LOCK_ATTEMPTS && isLockNotAvailable(error)) {
        await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
        continue;
      }
      throw new MigrationRefused(
        `Migration ${migration.name} failed: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }
}

async function applyOnce(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(sql);
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** SQLSTATE 55P03. */
function isLockNotAvailable(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03';
}
