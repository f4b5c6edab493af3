import type { Problem } from '@gatepost/contracts';
import { DomainError } from './domain-error.ts';
import { type ProblemCode, problemTypes, problemTypeUri } from './problem-types.ts';

/** Where a problem happened. `target` is the request target; its query is left out, for it may hold secrets. */
export interface ProblemPlace {
  readonly target: string;
  readonly requestId: string;
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The RFC 9457 body of an error. */
export function toProblem(error: DomainError, place: ProblemPlace): Problem {
  const { status, title } = problemTypes[error.code];
  const query = place.target.indexOf('?');
  return {
    type: problemTypeUri(error.code),
    title,
    status,
    detail: error.message,
    instance: query < 0 ? place.target : place.target.slice(0, query),
    requestId: place.requestId,
    ...(error.errors ? { errors: [...error.errors] } : {}),
    ...error.extensions,
  };
}

/** Which code an error of Fastify, Nest or Node stands for, by the HTTP status it asks for. */
const codeByStatus: Readonly<Record<number, ProblemCode>> = {
  400: 'malformed-request',
  401: 'token-refused',
  403: 'scope-missing',
  404: 'not-found',
  405: 'method-not-allowed',
  406: 'not-acceptable',
  408: 'request-timeout',
  409: 'conflict',
  413: 'body-too-large',
  414: 'target-too-long',
  415: 'media-type-unsupported',
  417: 'expectation-failed',
  421: 'misdirected-request',
  431: 'headers-too-large',
  501: 'not-implemented',
  503: 'service-unavailable',
};

const detailByCode: Partial<Record<ProblemCode, string>> = {
  'malformed-request': 'The request could not be parsed.',
  'not-found': 'There is nothing at this address.',
  'body-too-large': 'The request body exceeds the limit.',
  'media-type-unsupported': 'Send the body as application/json.',
};

/**
 * Turns whatever was thrown into a DomainError. Only the status of a foreign error is believed, its message is not
 * shown: it may quote internals. Anything without a 4xx status is an internal error.
 */
export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  const status = statusOf(thrown);
  const code =
    codeByStatus[status] ?? (status >= 400 && status < 500 ? 'invalid-request' : 'internal-error');
  const detail = detailByCode[code] ?? `${problemTypes[code].title}.`;
  return new DomainError(code, detail, { cause: thrown });
}

function statusOf(thrown: unknown): number {
  if (typeof thrown !== 'object' || thrown === null) return 500;
  const { statusCode, status, getStatus } = thrown as Record<string, unknown>;
  if (typeof getStatus === 'function') return Number(getStatus.call(thrown));
  if (typeof statusCode === 'number') return statusCode;
  return typeof status === 'number' ? status : 500;
}
