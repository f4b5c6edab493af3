import type { IncomingMessage } from 'node:http';
import type { Logger } from './logger.ts';
import { parseTraceparent } from './trace-context.ts';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/**
 * The log of one request, with its id and its trace on every line. Most requests log nothing, and a child logger costs
 * several µs (redaction included): it is made when the first line is written.
 */
class RequestLogger {
  private made: Logger | undefined;

  constructor(
    private readonly parent: Logger,
    private readonly bindings: object,
    private readonly request: IncomingMessage,
  ) {}

  get level(): string {
    return this.parent.level;
  }

  child(bindings: object): Logger {
    return this.own().child(bindings);
  }

  silent(): void {
    // pino's level without output
  }

  own(): Logger {
    if (!this.made) {
      const context = parseTraceparent(this.request.headers['traceparent']);
      this.made = this.parent.child({
        ...this.bindings,
        ...(context ? { traceId: context.traceId } : {}),
      });
    }
    return this.made;
  }
}

for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] satisfies Level[]) {
  Object.defineProperty(RequestLogger.prototype, level, {
    value: function write(this: RequestLogger, ...args: [object, string?]) {
      this.own()[level](...args);
    },
  });
}

/** For Fastify's `childLoggerFactory`. */
export function createRequestLogger(
  parent: Logger,
  bindings: object,
  _options: object,
  request: IncomingMessage,
): Logger {
  return new RequestLogger(parent, bindings, request) as unknown as Logger;
}
