import { randomFillSync } from 'node:crypto';

const BYTES = 16;
const pool = Buffer.alloc(256 * BYTES);
let digits = '';
let next = 0;

/** 128 random bits in hexadecimal: a request id, and the trace id of a trace that begins with the request. */
export function createRequestId(): string {
  // Random bytes are cheap by the page and dear one by one.
  if (next === digits.length) {
    digits = randomFillSync(pool).toString('hex');
    next = 0;
  }
  const id = digits.slice(next, next + 2 * BYTES);
  next += 2 * BYTES;
  return id;
}

const TRACE_ID = /^(?=.*[1-9a-f])[0-9a-f]{16}(?!0{16})[0-9a-f]{16}$/;

/**
 * The traceparent of a trace that begins here and that nobody keeps. Request id and trace id are one, so that either
 * finds the other; `isOurs` says that the id was made here and needs no look.
 */
export function startTrace(requestId: string, isOurs = false): string {
  const traceId = isOurs || TRACE_ID.test(requestId) ? requestId : createRequestId();
  return `00-${traceId}-${traceId.slice(BYTES)}-00`;
}
