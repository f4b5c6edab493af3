import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What may travel as a request id: visible, short, harmless in a log line. */
const REQUEST_ID = /^[\w.:-]{8,128}$/;

/** The request's own id when the sender is trusted to name it and names it well, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
