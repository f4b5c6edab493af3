export { type Migration, MigrationRefused, migrate, readMigrations } from './migrate.ts';
export { type Database, type DatabaseOptions, openDatabase } from './open-database.ts';
export { openPool, type Pool, type PoolClient, type PoolOptions } from './pool.ts';
export { isUnreachable, type RetryOptions, withRetry } from './retry.ts';
export { inTransaction } from './transaction.ts';
