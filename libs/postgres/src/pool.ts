import pg from 'pg';

export interface PoolOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** A statement that runs longer is cancelled by the server, ms. */
  readonly statementTimeoutMs?: number;
  /**
   * A connection that is silent for this long in the middle of a transaction is ended by the server, ms: a machine that froze
   * or was cut off must not keep its locks.
   */
  readonly silenceTimeoutMs?: number;
  /** How long a caller waits for the server's answer, ms: for a server that froze and cannot cancel anything itself. */
  readonly answerTimeoutMs?: number;
  /** How long a caller waits for a connection, ms. Short, so that an absent database is an answer and not a queue. */
  readonly connectTimeoutMs?: number;
  /** Told of idle connections that broke; the pool replaces them by itself. */
  readonly onError?: (error: Error) => void;
}

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

/**
 * A pooler that gives each transaction another server connection forgets prepared statements, or meets those of others:
 * every statement goes unnamed.
 */
class UnnamedClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: a dozen overloads, and all of them pass through
  override query(...[statement, ...rest]: any[]): any {
    const isNamed = typeof statement?.name === 'string' && typeof statement.submit !== 'function';
    const query = super.query as (...args: unknown[]) => unknown;
    return query.call(this, isNamed ? { ...statement, name: undefined } : statement, ...rest);
  }
}

/** `…?pgbouncer=true`, as Prisma has it: behind a pooler in transaction mode. */
function isPooled(url: string): boolean {
  return URL.canParse(url) && new URL(url).searchParams.get('pgbouncer') === 'true';
}

/** Opens the pool that Prisma and the hand-written statements of a service share. */
export function openPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    ...(isPooled(options.url) ? { Client: UnnamedClient } : {}),
    application_name: options.applicationName,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2_000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    ...(options.silenceTimeoutMs
      ? { idle_in_transaction_session_timeout: options.silenceTimeoutMs }
      : {}),
    ...(options.answerTimeoutMs ? { query_timeout: options.answerTimeoutMs } : {}),
    // Half-open connections (a node that vanished) are found by the kernel rather than by a request.
    keepAlive: true,
    idleTimeoutMillis: 60_000,
  });
  // Without a listener, a server that goes away ends the process.
  pool.on('error', options.onError ?? (() => undefined));
  return pool;
}
