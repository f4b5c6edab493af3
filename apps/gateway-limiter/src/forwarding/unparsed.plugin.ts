import type { Logger } from '@gatepost/service-kit';
import type { Networks } from '../identity/networks.ts';
import type { LimitRequest, RequestFacts } from '../limiting/limit-verdict.ts';
import { type DoorSocket, latestOn, REFUSED, senderOfSocket } from './door-socket.ts';
import type { ForwardDoor } from './forward.plugin.ts';
import { closeLingering } from './lingering-close.ts';
import { type OwnAnswer, renderOwnAnswer } from './own-answer.ts';
import { type ParserError, readParserFault, serialiseAnswer } from './parser-fault.ts';
import { createRequestId } from './trace-context.ts';

/** What the limiter is told of a request that has no trustworthy head: only its address counts. */
export function unparsedFacts(clientAddress: string): RequestFacts {
  return { kind: 'unparsed', method: '', host: '', path: '', headers: {}, clientAddress };
}

/** Answers what Node's parser or its clock has given up on; limited like everything else. */
export class UnparsedRequests {
  constructor(
    private readonly parts: {
      readonly limit: LimitRequest;
      readonly trustedProxies: Networks;
      readonly logger: Logger;
      /** Called with the status of each answer to a request that never was one. */
      readonly observeUnparsed: (status: number) => void;
    },
    private readonly door: ForwardDoor,
  ) {}

  refuse(error: ParserError, socket: DoorSocket): void {
    if (socket[REFUSED]) return;
    const fault = readParserFault(error, socket.bytesRead);
    if (!fault || !socket.writable) {
      socket.destroy();
      return;
    }
    socket[REFUSED] = true;
    const latest = latestOn(socket);
    if (!latest) this.answerOn(socket, fault);
    else if (latest.request.complete) {
      // Bytes after a request whose answer is under way: that answer comes first, and a last one ends the connection.
      if (error.code !== 'HPE_CLOSED_CONNECTION')
        latest.response.once('close', () => this.answerOn(socket, fault));
    } else if (latest.response.headersSent) socket.destroy();
    else {
      // The body of the request is what cannot be read; its answer is the place to say so.
      latest.failure = 'body';
      // Without the limiter's word yet, the answer waits for it.
      if (latest.caller) this.door.answer(latest, fault);
      else latest.fault = fault;
    }
  }

  private answerOn(socket: DoorSocket, fault: OwnAnswer): void {
    if (socket.destroyed || !socket.writable) return;
    const { clientAddress } = senderOfSocket(socket, this.parts.trustedProxies);
    this.parts
      .limit(unparsedFacts(clientAddress))
      .then((verdict) => {
        const rendered = renderOwnAnswer(verdict.kind === 'admit' ? fault : verdict.problem, {
          target: '',
          requestId: createRequestId(),
          rateFields: verdict.headers,
          isCrossOrigin: false,
          isLast: true,
        });
        socket.write(serialiseAnswer(rendered));
        closeLingering(socket);
        this.parts.observeUnparsed(rendered.status);
      })
      .catch((error) => {
        this.parts.logger.error({ err: error }, 'a malformed request could not be answered');
        socket.destroy();
      });
  }
}
