import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { toDomainError } from '@gatepost/problem-details';
import type { Logger, Tracing } from '@gatepost/service-kit';
import { respondOn } from './forwarding/detached-response.ts';
import {
  arriveOn,
  type DoorSocket,
  inTurn,
  leaveFrom,
  senderOf,
} from './forwarding/door-socket.ts';
import { EarlyBytes } from './forwarding/early-bytes.ts';
import { Exchange } from './forwarding/exchange.ts';
import { type ForwardDoor, Forwarder, type ForwardOptions } from './forwarding/forward.plugin.ts';
import { hopsLeft, type Sender } from './forwarding/forwarded-fields.ts';
import { lingerAfterLast } from './forwarding/lingering-close.ts';
import { type OwnAnswer, renderOwnAnswer } from './forwarding/own-answer.ts';
import { type ParserError, serialiseAnswer } from './forwarding/parser-fault.ts';
import { replayWithoutUpgrade } from './forwarding/replay.ts';
import { type HeadFault, type RequestHead, readHead } from './forwarding/request-head.ts';
import { createRequestId } from './forwarding/trace-context.ts';
import type { Tunnels } from './forwarding/tunnels.plugin.ts';
import { UnparsedRequests, unparsedFacts } from './forwarding/unparsed.plugin.ts';
import type { Upstreams } from './forwarding/upstreams.service.ts';
import type { Networks } from './identity/networks.ts';
import type { LimitRequest, LimitVerdict, RequestFacts } from './limiting/limit-verdict.ts';

export interface PipelineParts {
  readonly limit: LimitRequest;
  readonly trustedProxies: Networks;
  readonly upstreams: Upstreams;
  readonly tunnels: Tunnels;
  readonly observe: (exchange: Exchange) => void;
  readonly observeUnparsed: (status: number) => void;
  readonly tracing: Tracing;
  readonly isDraining: () => boolean;
  readonly logger: Logger;
  readonly options: ForwardOptions;
}

/** What may travel as a request id: visible, short, harmless in a log line. */
const REQUEST_ID = /^[\w.:-]{8,128}$/;

/** More gateways of this kind than that are not put behind each other on purpose. */
const MOST_HOPS = 5;

/** An unread body up to this length is read to its end, so that the connection can go on. */
const READ_OUT_BYTES = 64 * 1024;

/**
 * The way of every request, in order: identify ▶ limit ▶ forward ▶ observe.
 *
 * It hangs on the HTTP server itself and not on a hook of the framework, because hooks do not run for a bad URL, a
 * method unknown to the router, a missing Host or an upgrade; here whatever reaches the process passes the limiter.
 */
export class Pipeline implements ForwardDoor {
  private readonly forwarder: Forwarder;
  private readonly unparsed: UnparsedRequests;
  readonly isDraining: () => boolean;
  /** Requests at the door and not yet answered in full. */
  inFlight = 0;

  constructor(private readonly parts: PipelineParts) {
    this.isDraining = parts.isDraining;
    this.forwarder = new Forwarder(parts.options, this);
    this.unparsed = new UnparsedRequests(parts, this);
  }

  attach(server: Server): void {
    server.on('request', (request, response) => this.run(this.enter(request, response)));
    server.on('checkContinue', (request, response) => {
      const exchange = this.enter(request, response);
      exchange.awaitsContinue = true;
      this.run(exchange);
    });
    server.on('checkExpectation', (request, response) =>
      this.refuse(this.enter(request, response), {
        code: 'expectation-failed',
        detail: 'The only expectation known here is 100-continue.',
      }),
    );
    server.on('connect', (request: IncomingMessage, duplex: Duplex, first: Buffer) => {
      const socket = duplex as DoorSocket;
      void new EarlyBytes(socket, first);
      inTurn(socket, () =>
        this.refuse(this.enter(request, respondOn(request, socket)), {
          code: 'not-implemented',
          detail: 'This gateway is no forward proxy.',
        }),
      );
    });
    server.on('upgrade', (request: IncomingMessage, duplex: Duplex, first: Buffer) => {
      const socket = duplex as DoorSocket;
      const early = new EarlyBytes(socket, first);
      inTurn(socket, () => this.upgrade(server, request, socket, early));
    });
    server.on('clientError', (error: ParserError, socket: Duplex) =>
      this.unparsed.refuse(error, socket as DoorSocket),
    );
  }

  /** Answers with a problem of the gateway's own, unless an answer has begun. */
  answer(exchange: Exchange, answer: OwnAnswer): void {
    const { request, response } = exchange;
    if (response.headersSent || response.destroyed) return;
    const isUnread = hasUnreadBody(exchange) || answer.code === 'request-timeout';
    const rendered = renderOwnAnswer(answer, {
      target: request.url ?? '',
      requestId: exchange.requestId,
      rateFields: exchange.rateFields,
      isCrossOrigin: request.headers.origin !== undefined,
      isLast: isUnread || exchange.upgrade !== undefined || this.isDraining(),
    });
    exchange.status = rendered.status;
    exchange.sentBytes = rendered.body.length;
    if (isUnread) lingerAfterLast(response);
    response.writeHead(rendered.status, rendered.fields);
    response.end(rendered.body);
    exchange.attempt?.cancel();
  }

  join(exchange: Exchange, fields: string[], upstream: Duplex): void {
    const { response, upgrade } = exchange;
    if (!upgrade) return;
    const { socket, early, protocol } = upgrade;
    response.detachSocket(socket as Socket);
    fields.push('connection', 'upgrade', 'upgrade', protocol);
    const head = serialiseAnswer({ status: exchange.status, fields, body: '' });
    this.parts.tunnels.join(socket, upstream, head, early.take());
    this.leave(exchange);
  }

  private enter(request: IncomingMessage, response: ServerResponse): Exchange {
    const sender = senderOf(request, this.parts.trustedProxies);
    const exchange = new Exchange(request, response, sender, requestIdOf(request, sender));
    arriveOn(request.socket, exchange, (lost) => this.leave(lost));
    this.inFlight++;
    response.on('close', () => this.leave(exchange));
    return exchange;
  }

  private leave(exchange: Exchange): void {
    if (exchange.isOver) return;
    exchange.isOver = true;
    this.inFlight--;
    leaveFrom(exchange.request.socket, exchange);
    if (!exchange.response.writableFinished && exchange.status !== 101) {
      exchange.isGone = true;
      exchange.attempt?.cancel();
    }
    exchange.work?.end({
      status: exchange.status,
      attributes: { 'http.route': exchange.route, 'gatepost.request_id': exchange.requestId },
    });
    this.parts.observe(exchange);
  }

  private beginTrace(exchange: Exchange, { method, target }: RequestHead): void {
    const { traceparent } = exchange.request.headers;
    const parent = typeof traceparent === 'string' ? traceparent : undefined;
    exchange.work = this.parts.tracing.begin('server', method, parent, {
      'http.request.method': method,
      'url.path': target.path,
    });
  }

  /** Identify and limit; the rest follows the verdict. */
  private run(exchange: Exchange): void {
    const head = readHead(exchange.request);
    if ('code' in head) {
      this.refuse(exchange, head);
      return;
    }
    exchange.head = head;
    if (this.parts.tracing.isOn) this.beginTrace(exchange, head);
    const facts: RequestFacts = {
      kind: exchange.upgrade ? 'upgrade' : 'request',
      method: head.method,
      host: head.host,
      path: head.target.path,
      headers: exchange.request.headers,
      clientAddress: exchange.sender.clientAddress,
    };
    this.parts
      .limit(facts)
      .then((verdict) => this.proceed(exchange, verdict))
      .catch((error) => this.crash(exchange, error));
  }

  private proceed(exchange: Exchange, verdict: LimitVerdict): void {
    exchange.rateFields = verdict.headers;
    exchange.caller = verdict.caller;
    if (exchange.isGone) return;
    if (verdict.kind !== 'admit') {
      exchange.failure = 'refused';
      this.answer(exchange, verdict.problem);
      return;
    }
    if (exchange.fault) {
      this.answer(exchange, exchange.fault);
      return;
    }
    const { method, host, target } = exchange.head as NonNullable<Exchange['head']>;
    const maxForwards = exchange.request.headers['max-forwards'];
    if (target.path === '*' || hopsLeft(method, maxForwards) === 0) {
      this.answerForItself(exchange);
      return;
    }
    if (isGoingInCircles(exchange.request)) {
      exchange.failure = 'loop';
      this.answer(exchange, { code: 'upstream-failed', detail: 'The request goes in circles.' });
      return;
    }
    const destination = this.parts.upstreams.find(host, target.path);
    if (destination === 'host')
      this.answer(exchange, { code: 'misdirected-request', detail: 'No route has this host.' });
    else if (destination === 'path')
      this.answer(exchange, { code: 'not-found', detail: 'No route leads to this path.' });
    else {
      exchange.route = destination.route.name;
      this.forwarder.forward(exchange, destination.route, destination.pool, verdict.strip);
    }
  }

  /** A head that is not fit to be forwarded: limited by its address alone, then refused. */
  private refuse(exchange: Exchange, fault: HeadFault): void {
    exchange.failure = 'head';
    this.parts
      .limit(unparsedFacts(exchange.sender.clientAddress))
      .then((verdict) => {
        exchange.rateFields = verdict.headers;
        exchange.caller = verdict.caller;
        this.answer(exchange, verdict.kind === 'admit' ? fault : verdict.problem);
      })
      .catch((error) => this.crash(exchange, error));
  }

  /** OPTIONS about the server as a whole, or with no hops left (RFC 9110 §7.6.2, §9.3.7). */
  private answerForItself(exchange: Exchange): void {
    exchange.status = 204;
    exchange.response.writeHead(204, [
      'x-request-id',
      exchange.requestId,
      ...exchange.rateFields,
      ...(this.isDraining() ? ['connection', 'close'] : []),
    ]);
    exchange.response.end();
  }

  private upgrade(
    server: Server,
    request: IncomingMessage,
    socket: DoorSocket,
    early: EarlyBytes,
  ): void {
    const { upgrade = '' } = request.headers;
    if (upgrade.toLowerCase() !== 'websocket' || request.method !== 'GET') {
      const connection = 'encrypted' in socket ? 'secureConnection' : 'connection';
      replayWithoutUpgrade(request, socket, early.take());
      server.emit(connection, socket);
      socket.resume();
      return;
    }
    const exchange = this.enter(request, respondOn(request, socket));
    exchange.upgrade = { protocol: 'websocket', socket, early };
    this.run(exchange);
  }

  private crash(exchange: Exchange, error: unknown): void {
    this.parts.logger.error({ err: error, requestId: exchange.requestId }, 'request failed');
    exchange.failure = 'internal';
    const { code, message } = toDomainError(error);
    this.answer(exchange, { code, detail: message });
    if (!exchange.response.writableEnded) exchange.response.destroy();
  }
}

function requestIdOf(request: IncomingMessage, sender: Sender): string {
  if (!sender.isTrusted) return createRequestId();
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : createRequestId();
}

/** A route that leads back to this door would multiply each request until nothing is left to serve with. */
function isGoingInCircles({ headers }: IncomingMessage): boolean {
  return headers.via !== undefined && headers.via.split('1.1 gatepost').length > MOST_HOPS;
}

function hasUnreadBody(exchange: Exchange): boolean {
  if (exchange.request.complete || !exchange.hasBody) return false;
  if (exchange.awaitsContinue || exchange.failure === 'body') return true;
  return !(Number(exchange.request.headers['content-length']) <= READ_OUT_BYTES);
}
