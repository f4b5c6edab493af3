import type { Duplex, Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { Attempt, type AttemptOutcome } from './attempt.ts';
import type { Exchange } from './exchange.ts';
import { buildUpstreamFields } from './forwarded-fields.ts';
import type { OwnAnswer } from './own-answer.ts';
import type { Peer } from './peer.ts';
import { BodyTooLarge, BodyTooSlow, ClientLeft, RequestBody } from './request-body.ts';
import type { RequestHead } from './request-head.ts';
import { isSafeToRetry, RetryBudget } from './retry.ts';
import type { Route } from './routes.ts';
import { readFailure, type UpstreamFailure } from './upstream-errors.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** Statuses by which a peer, or what stands before it, says that it cannot serve. */
const PEER_FAILED: ReadonlySet<number> = new Set([502, 503, 504]);

export interface ForwardOptions {
  /** Longest request body where the route says nothing; 0 = no limit. */
  readonly maxBodyBytes: number;
  /** Longest pause in a request body. */
  readonly bodyIdleMs: number;
}

/** What the forwarding room needs of the door that it works for. */
export interface ForwardDoor {
  readonly isDraining: () => boolean;
  /** Answers the exchange with a problem of the gateway's own. */
  readonly answer: (exchange: Exchange, answer: OwnAnswer) => void;
  /** Ties a client to an upgraded connection. */
  readonly join: (exchange: Exchange, fields: string[], upstream: Duplex) => void;
}

/** Sends admitted requests upstream and their answers back. */
export class Forwarder {
  private readonly budget = new RetryBudget();

  constructor(
    private readonly options: ForwardOptions,
    private readonly door: ForwardDoor,
  ) {}

  /** `strip`: request fields that stay here. */
  forward(exchange: Exchange, route: Route, pool: UpstreamPool, strip: readonly string[]): void {
    const journey = new Journey(exchange, pool, this.door, this.budget);
    const head = exchange.head as RequestHead;
    const { request } = exchange;
    const { headers } = request;
    const fields = buildUpstreamFields(
      {
        rawHeaders: request.rawHeaders,
        headers,
        method: head.method,
        hostField: head.hostField,
        requestId: exchange.requestId,
        traceparent: exchange.work?.traceparent,
        strip,
      },
      exchange.sender,
    );
    let body: RequestBody | null = null;
    if (exchange.hasBody && !exchange.upgrade) {
      const maxBytes = route.maxBodyBytes ?? this.options.maxBodyBytes;
      if (maxBytes > 0 && Number(headers['content-length']) > maxBytes) {
        this.door.answer(exchange, bodyTooLarge(maxBytes));
        return;
      }
      body = new RequestBody(request, { maxBytes, idleMs: this.options.bodyIdleMs });
    }
    if (exchange.awaitsContinue) exchange.response.writeContinue();
    this.budget.recordRequest();
    journey.start(fields, body);
  }
}

/** One request's way upstream, the second attempt included. */
class Journey implements AttemptOutcome {
  private request: Dispatcher.DispatchOptions | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly pool: UpstreamPool,
    private readonly door: ForwardDoor,
    private readonly budget: RetryBudget,
  ) {}

  start(headers: string[], body: RequestBody | null): void {
    const { exchange, pool } = this;
    const { method, target } = exchange.head as RequestHead;
    const peer = pool.pick(exchange.startedAt);
    if (!peer || peer.isSaturated) {
      exchange.failure = peer ? 'saturated' : 'no-peer';
      this.door.answer(exchange, noPeer(pool.retryAfterSeconds));
      return;
    }
    const request: Dispatcher.DispatchOptions & { servername: string } = {
      method: method as Dispatcher.HttpMethod,
      path: target.forwarded,
      headers,
      body: body as Readable | null,
      servername: peer.servername,
    };
    // undici gives up its connection after each HEAD unless told otherwise.
    if (method === 'HEAD') request.reset = false;
    if (exchange.upgrade) request.upgrade = exchange.upgrade.protocol;
    this.request = request;
    peer.dispatch(request, this.attempt(peer), false);
  }

  answered(attempt: Attempt, status: number): void {
    if (PEER_FAILED.has(status)) this.pool.recordFailure(attempt.peer, performance.now());
    else this.pool.recordSuccess(attempt.peer);
  }

  failed(attempt: Attempt, error: Error): void {
    const { exchange } = this;
    if (exchange.isGone || error instanceof ClientLeft || exchange.response.headersSent) return;
    if (error instanceof BodyTooLarge) {
      this.door.answer(exchange, bodyTooLarge());
      return;
    }
    if (error instanceof BodyTooSlow) {
      this.door.answer(exchange, {
        code: 'request-timeout',
        detail: 'The request body did not arrive in time.',
      });
      return;
    }
    const failure = readFailure(error, attempt.wasSent);
    if (failure.isPeersFault) this.pool.recordFailure(attempt.peer, performance.now());
    if (this.retry(attempt, failure)) return;
    exchange.failure = failure.reason;
    const fields =
      failure.code === 'service-unavailable'
        ? ['retry-after', String(this.pool.retryAfterSeconds)]
        : [];
    this.door.answer(exchange, { code: failure.code, detail: failure.detail, fields });
  }

  brokeOff(attempt: Attempt, error: Error): void {
    const { exchange } = this;
    if (exchange.isGone || error instanceof ClientLeft) return;
    const failure = readFailure(error, true);
    exchange.failure = `${failure.reason}-in-body`;
    if (failure.isPeersFault) this.pool.recordFailure(attempt.peer, performance.now());
    // Cut, so that half an answer cannot pass for a whole one. Where only the end of the connection ends the body
    // (HTTP/1.0), that takes a reset.
    const { socket } = exchange.response;
    if (socket && exchange.request.httpVersion === '1.0') socket.resetAndDestroy();
    exchange.response.destroy();
  }

  upgraded(_attempt: Attempt, fields: string[], socket: Duplex): void {
    this.door.join(this.exchange, fields, socket);
  }

  /** One second attempt, at another peer where there is one, on a connection that cannot be stale. */
  private retry(attempt: Attempt, failure: UpstreamFailure): boolean {
    const { exchange, pool, request } = this;
    if (!request || !failure.isRetryable || exchange.retries > 0 || exchange.upgrade) return false;
    const { method } = request;
    if (!isSafeToRetry({ method, hasBody: exchange.hasBody, wasSent: attempt.wasSent }))
      return false;
    const peer = pool.pick(performance.now(), attempt.peer);
    if (!peer || peer.isSaturated || !this.budget.take()) return false;
    // The same peer again helps only where the connection was stale, not where there was none.
    if (peer === attempt.peer && failure.reason === 'connect') return false;
    exchange.retries++;
    const again = { ...request, servername: peer.servername } as Dispatcher.DispatchOptions;
    peer.dispatch(again, this.attempt(peer), true);
    return true;
  }

  private attempt(peer: Peer): Attempt {
    const attempt = new Attempt(this.exchange, peer, this, this.door.isDraining);
    this.exchange.peer = peer.origin;
    this.exchange.attempt = attempt;
    return attempt;
  }
}

function bodyTooLarge(maxBytes?: number): OwnAnswer {
  const limit = maxBytes === undefined ? 'the limit' : `${maxBytes} bytes`;
  return { code: 'body-too-large', detail: `The request body exceeds ${limit}.` };
}

function noPeer(retryAfterSeconds: number): OwnAnswer {
  return {
    code: 'service-unavailable',
    detail: 'No server of this service can take the request right now.',
    fields: ['retry-after', String(retryAfterSeconds)],
  };
}
