import { type Logger, parseTraceparent } from '@gatepost/service-kit';
import type { Exchange } from '../forwarding/exchange.ts';

/**
 * One line a request, at most so many a second: under load a sample is written and the rest is counted, so that the
 * log never costs more than the requests. What failed here has an allowance of its own.
 */
export class AccessLog {
  private second = -1;
  private left = 0;
  private leftForFailures = 0;
  private suppressed = 0;

  constructor(
    private readonly logger: Logger,
    private readonly perSecond: number,
  ) {}

  write(exchange: Exchange, now: number): void {
    const second = Math.floor(now / 1_000);
    if (second !== this.second) this.beginSecond(second);
    const isFailure = exchange.status >= 500 || exchange.failure === 'internal';
    if (isFailure && this.leftForFailures > 0) this.leftForFailures--;
    else if (this.left > 0) this.left--;
    else {
      this.suppressed++;
      return;
    }
    this.logger.info(lineOf(exchange, now), 'request');
  }

  private beginSecond(second: number): void {
    if (this.suppressed > 0 && this.perSecond > 0)
      this.logger.info({ suppressed: this.suppressed }, 'requests not logged');
    this.second = second;
    this.suppressed = 0;
    this.left = this.perSecond;
    this.leftForFailures = this.perSecond;
  }
}

/** No query, no address, no credential: the query may hold codes and tokens, the caller is known by a keyed hash. */
function lineOf(exchange: Exchange, now: number): Record<string, unknown> {
  const { request, caller, head } = exchange;
  const target = request.url ?? '';
  const query = target.indexOf('?');
  return {
    requestId: exchange.requestId,
    // Known here where it is traced here, or where the caller traces.
    traceId: parseTraceparent(exchange.work?.traceparent ?? request.headers['traceparent'])
      ?.traceId,
    method: request.method,
    path: (query < 0 ? target : target.slice(0, query)).slice(0, 512),
    host: head?.host,
    route: exchange.route,
    status: statusOf(exchange),
    durationMs: Math.round((now - exchange.startedAt) * 10) / 10,
    bytes: exchange.sentBytes,
    caller: caller?.label,
    callerKind: caller?.kind,
    tier: caller?.tier,
    peer: exchange.peer || undefined,
    retries: exchange.retries || undefined,
    failure: exchange.failure,
    upgraded: exchange.upgrade && exchange.status === 101 ? exchange.upgrade.protocol : undefined,
  };
}

/** 499: the client left first, and nobody is to blame for it here. */
export function statusOf(exchange: Exchange): number {
  return exchange.isGone && exchange.failure === undefined ? 499 : exchange.status;
}
