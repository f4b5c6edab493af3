import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Members that may hold a credential; their values never reach the log, wherever a caller puts them one level deep. */
const SECRET_MEMBERS = [
  'authorization',
  'cookie',
  'set-cookie',
  'dpop',
  'x-api-key',
  'password',
  'secret',
  'client_secret',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'code',
  'code_verifier',
];

/** JSON lines on standard output. `code` alone is redacted only inside `params` and `body`: elsewhere it is a short code. */
export function createLogger(options: {
  name: string;
  level: string;
  destination?: DestinationStream;
}): Logger {
  const everywhere = SECRET_MEMBERS.filter((member) => member !== 'code').flatMap((member) => {
    const key = /^\w+$/.test(member) ? `.${member}` : `["${member}"]`;
    return [key.replace(/^\./, ''), `*${key}`, `req.headers${key}`, `headers${key}`];
  });
  return pino(
    {
      name: options.name,
      level: options.level,
      base: { service: options.name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [...new Set([...everywhere, 'params.code', 'body.code'])],
        censor: '(hidden)',
      },
    },
    options.destination ?? pino.destination({ fd: 1, sync: false, minLength: 0 }),
  );
}

/** Nest's own messages, in the same stream. Its start-up chatter is debug. */
export function toNestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.length > 0 ? rest.at(-1) : undefined;
      logger[level](
        { context, ...(message instanceof Error ? { err: message } : {}) },
        String(message),
      );
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  };
}
