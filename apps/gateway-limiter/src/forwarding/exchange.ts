import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TracedWork } from '@gatepost/service-kit';
import type { CallerSummary, HeaderPairs } from '../limiting/limit-verdict.ts';
import type { EarlyBytes } from './early-bytes.ts';
import type { Sender } from './forwarded-fields.ts';
import type { OwnAnswer } from './own-answer.ts';
import type { RequestHead } from './request-head.ts';

/** An upgrade on its way: the client's bare connection, and what it has sent after its head already. */
export interface Upgrade {
  readonly protocol: string;
  readonly socket: Duplex;
  readonly early: EarlyBytes;
}

const NO_FIELDS: HeaderPairs = [];

/** One request at the public door and all that becomes known of it on its way through. */
export class Exchange {
  readonly startedAt = performance.now();
  head: RequestHead | undefined;
  caller: CallerSummary | undefined;
  /** The limiter's fields; every answer carries them. */
  rateFields: HeaderPairs = NO_FIELDS;
  /** Name of the route, `none` until there is one. */
  route = 'none';
  /** Origin of the peer that was asked last. */
  peer = '';
  retries = 0;
  /** Bytes of the answer's body as they went to the client. */
  sentBytes = 0;
  status = 0;
  /** Label of what went wrong on the way, if anything did. */
  failure: string | undefined;
  /** What turned out to be wrong with its body before the limiter had spoken. */
  fault: OwnAnswer | undefined;
  /** The client left before the answer was complete. */
  isGone = false;
  /** Everything is done: answered, broken off or joined to a tunnel. */
  isOver = false;
  /** Set while the client waits for `100 Continue` (RFC 9110 §10.1.1). */
  awaitsContinue = false;
  /** What is under way upstream. */
  attempt: { cancel(): void } | undefined;
  upgrade: Upgrade | undefined;
  /** The gateway's span, where it traces. */
  work: TracedWork | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly sender: Sender,
    readonly requestId: string,
  ) {}

  /** A body is announced: by a length above zero or by a transfer coding (RFC 9112 §6.3). */
  get hasBody(): boolean {
    const { headers } = this.request;
    const length = headers['content-length'];
    if (length !== undefined) return Number(length) > 0;
    return headers['transfer-encoding'] !== undefined;
  }
}
