import type { ProblemCode } from '@gatepost/problem-details';

/** What a failed attempt means for the client, for the peer and for a second attempt. */
export interface UpstreamFailure {
  readonly code: ProblemCode;
  readonly detail: string;
  /** Label of the failure; few values, never text from outside. */
  readonly reason: 'connect' | 'reset' | 'timeout' | 'protocol' | 'closing' | 'request';
  /** Is it the peer's doing? */
  readonly isPeersFault: boolean;
  /** May a safe request be sent once more? */
  readonly isRetryable: boolean;
}

const CONNECT = failure('upstream-failed', 'connect', 'The service cannot be reached.', true);
const RESET = failure('upstream-failed', 'reset', 'The service closed the connection.', true);
const PROTOCOL = failure('upstream-failed', 'protocol', 'The answer of the service was not HTTP.');
const CONNECT_TIMEOUT = failure(
  'upstream-timeout',
  'timeout',
  'The service cannot be reached.',
  true,
);
const TIMEOUT = failure('upstream-timeout', 'timeout', 'The service did not answer in time.');
const CLOSING: UpstreamFailure = {
  ...failure('service-unavailable', 'closing', 'The service is being replaced.', true),
  isPeersFault: false,
};
/** The head passed Node's parser, but not the stricter rules of what may be sent. */
const REQUEST: UpstreamFailure = {
  ...failure('malformed-request', 'request', 'The request cannot be forwarded as it is.'),
  isPeersFault: false,
};

const failureByCode: Readonly<Record<string, UpstreamFailure>> = {
  ECONNREFUSED: CONNECT,
  ENOTFOUND: CONNECT,
  EAI_AGAIN: CONNECT,
  EHOSTUNREACH: CONNECT,
  ENETUNREACH: CONNECT,
  EADDRNOTAVAIL: CONNECT,
  ECONNRESET: RESET,
  ECONNABORTED: RESET,
  EPIPE: RESET,
  UND_ERR_SOCKET: RESET,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: RESET,
  UND_ERR_CONNECT_TIMEOUT: CONNECT_TIMEOUT,
  ETIMEDOUT: CONNECT_TIMEOUT,
  UND_ERR_HEADERS_TIMEOUT: TIMEOUT,
  UND_ERR_BODY_TIMEOUT: TIMEOUT,
  UND_ERR_HEADERS_OVERFLOW: PROTOCOL,
  UND_ERR_CLOSED: CLOSING,
  UND_ERR_DESTROYED: CLOSING,
  UND_ERR_INVALID_ARG: REQUEST,
  UND_ERR_NOT_SUPPORTED: REQUEST,
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: REQUEST,
};

/** Reads an error of undici, a socket or TLS by its code. `wasSent`: had the request been handed to a connection? */
export function readFailure(error: unknown, wasSent: boolean): UpstreamFailure {
  const { code = '' } = error as { code?: string };
  const known = failureByCode[code];
  // A reset before the request was written is a connection that never came to be.
  if (known) return known === RESET && !wasSent ? CONNECT : known;
  // Certificates that do not verify and TLS alerts arrive before anything is sent.
  return wasSent ? PROTOCOL : { ...CONNECT, isRetryable: false };
}

function failure(
  code: ProblemCode,
  reason: UpstreamFailure['reason'],
  detail: string,
  isRetryable = false,
): UpstreamFailure {
  return { code, reason, detail, isRetryable, isPeersFault: true };
}
