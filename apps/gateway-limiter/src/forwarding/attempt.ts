import type { Duplex } from 'node:stream';
import type { Client } from 'undici';
import { buildAnswerFields, readTrailers } from './answer-fields.ts';
import { endWith, giveHead, readReason } from './answer-head.ts';
import type { Exchange } from './exchange.ts';
import { latin1 } from './latin1.ts';
import { closeAfter } from './lingering-close.ts';
import type { Peer } from './peer.ts';
import type { Borrower } from './peer-connections.ts';

/** Who is told how an attempt ended. */
export interface AttemptOutcome {
  /** The head of the answer has come, with this status. */
  answered(attempt: Attempt, status: number): void;
  /** Nothing of an answer has reached the client yet. */
  failed(attempt: Attempt, error: Error): void;
  /** The answer broke off in the middle. */
  brokeOff(attempt: Attempt, error: Error): void;
  upgraded(attempt: Attempt, fields: string[], socket: Duplex): void;
}

/** A client that reads nothing of its answer for this long is let go. */
const STALLED_CLIENT_MS = 60_000;

/** Bodies up to this size leave together with their head, as one string and one write. */
const SMALL_BODY_BYTES = 4 * 1024;

/**
 * One try at one peer: undici's handler, which streams the answer to the client. The hot path: no promises, no
 * closures, no copies of bodies.
 */
export class Attempt implements Borrower {
  connection: Client | undefined;
  /** Had the request been handed to a connection? */
  wasSent = false;
  private abort: ((error?: Error) => void) | undefined;
  private resume: (() => void) | undefined;
  private isOver = false;
  private hasHead = false;
  private hasBegun = false;
  private length: number | undefined;
  private stalled: NodeJS.Timeout | undefined;

  constructor(
    private readonly exchange: Exchange,
    readonly peer: Peer,
    private readonly outcome: AttemptOutcome,
    private readonly isDraining: () => boolean,
  ) {}

  /** Stops the upstream side: the client has left, or has been answered already. */
  cancel(): void {
    this.abort?.(new Error('no longer wanted'));
  }

  onConnect(abort: (error?: Error) => void): void {
    this.wasSent = true;
    this.abort = abort;
    if (this.exchange.isGone) abort();
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void, statusText: string): boolean {
    const { exchange } = this;
    const { response } = exchange;
    if (status < 200) {
      passInformation(exchange, status, raw);
      return true;
    }
    this.resume = resume;
    this.outcome.answered(this, status);
    exchange.status = status;
    const { fields, length, isDated } = buildAnswerFields(raw, exchange, status);
    const isLast = this.isDraining();
    if (isLast) fields.push('connection', 'close');
    giveHead(response, {
      status,
      reason: readReason(status, statusText),
      fields,
      isPlain: !isLast && isDated && length !== undefined && status !== 304,
    });
    this.hasHead = true;
    this.length = length;
    // The head waits for the first piece of the body, so that both fit one packet. Of a stream nobody knows when
    // that comes, so its head does not wait long.
    if (length === undefined) process.nextTick(sendHead, this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    const { exchange } = this;
    const { response } = exchange;
    exchange.sentBytes += chunk.length;
    const isWhole = chunk.length === this.length && !this.hasBegun;
    this.hasBegun = true;
    if (isWhole && chunk.length <= SMALL_BODY_BYTES) {
      endWith(response, latin1(chunk));
      return true;
    }
    if (response.write(chunk)) return true;
    this.letGoUnlessRead();
    response.once('drain', this.drained);
    return false;
  }

  onComplete(trailers: string[] | null): void {
    if (!this.end(true)) return;
    const { request, response } = this.exchange;
    // An upstream that answers early does not want the rest of the body.
    if (!request.complete && this.exchange.hasBody) closeAfter(response);
    if (response.writableEnded) return;
    const raw = trailers as unknown as Buffer[] | null;
    if (raw && raw.length > 0) response.addTrailers(readTrailers(raw));
    response.end();
    // What the client has not taken yet waits for it, but not for ever.
    if (response.writableLength > 0) {
      this.letGoUnlessRead();
      response.once('close', () => clearTimeout(this.stalled));
    }
  }

  onError(error: Error): void {
    // Refused by undici before it was written: the connection has not seen it.
    if (!this.end((error as { code?: string }).code === 'UND_ERR_INVALID_ARG')) return;
    if (this.hasHead) this.outcome.brokeOff(this, error);
    else this.outcome.failed(this, error);
  }

  onUpgrade(status: number, raw: Buffer[] | string[] | null, socket: Duplex): void {
    if (!this.end(false)) return;
    const { fields } = buildAnswerFields((raw ?? []) as Buffer[], this.exchange, status);
    this.exchange.status = status;
    this.outcome.answered(this, status);
    this.outcome.upgraded(this, fields, socket);
  }

  /** Called when no body followed the head at once. */
  flushHead(): void {
    const { response } = this.exchange;
    if (!this.hasBegun && !this.isOver && !response.destroyed) response.flushHeaders();
  }

  private end(isClean: boolean): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.peer.finish(this.connection, isClean);
    clearTimeout(this.stalled);
    return true;
  }

  private letGoUnlessRead(): void {
    this.stalled = setTimeout(() => this.exchange.response.destroy(), STALLED_CLIENT_MS);
  }

  private readonly drained = (): void => {
    clearTimeout(this.stalled);
    this.resume?.();
  };
}

function sendHead(attempt: Attempt): void {
  attempt.flushHead();
}

/** RFC 9110 §15.2: 1xx answers are passed on, but 100 is the gateway's own affair and 101 ends in onUpgrade. */
function passInformation(exchange: Exchange, status: number, raw: readonly Buffer[]): void {
  const { request, response } = exchange;
  if (request.httpVersion !== '1.1') return;
  if (status === 102) response.writeProcessing();
  if (status !== 103) return;
  const hints: Record<string, string | string[]> = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = latin1(raw[index] as Buffer).toLowerCase();
    const value = latin1(raw[index + 1] as Buffer);
    if (name === 'link') hints['link'] = [...(hints['link'] ?? []), value];
  }
  if (hints['link']) response.writeEarlyHints(hints);
}
