/** SQLSTATE of a serialization failure and of a deadlock: nothing was written, the transaction may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);

export interface RetryOptions {
  readonly attempts?: number;
  readonly random?: () => number;
}

/** Runs `work` again, after a jittered pause, while it fails for a reason that another transaction caused. */
export async function withRetry<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { attempts = 5, random = Math.random } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, random() * 5 * 2 ** attempt));
    }
  }
}

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && (RETRYABLE.has(code) || code === 'P2034');
}

/** Node and SQLSTATE codes that mean "the database cannot be reached or is going down", not "the statement is wrong". */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

interface ErrorShape {
  readonly code?: unknown;
  readonly errors?: unknown;
  readonly message?: string;
  readonly cause?: ErrorShape;
}

/** Whether an error of pg or Prisma means that the database is away: the caller answers 503 and may try again. */
export function isUnreachable(error: unknown): boolean {
  // By shape, not by class: an error of another realm is no instance of this one's Error.
  for (let cause = error as ErrorShape | null | undefined; cause; cause = cause.cause) {
    const { code, errors, message = '' } = cause;
    if (typeof code === 'string') {
      // 08xxx connection exceptions, 57P0x shutdowns, 53300 too many connections, 25006 read-only (a demoted primary), 57014 statement timeout,
      // 25P03 a transaction that was silent for too long
      if (
        UNREACHABLE.has(code) ||
        /^(08|57P|53)/.test(code) ||
        code === '25006' ||
        code === '57014' ||
        code === '25P03'
      )
        return true;
      if (
        code === 'P1001' ||
        code === 'P1002' ||
        code === 'P1008' ||
        code === 'P1017' ||
        code === 'P2024'
      )
        return true;
    }
    if (Array.isArray(errors) && errors.some(isUnreachable)) return true;
    if (
      /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
        message,
      )
    )
      return true;
  }
  return false;
}
