/** What a problem is called and which status it has. `uri` only where a registered type exists. */
export interface ProblemType {
  readonly status: number;
  readonly title: string;
  readonly uri?: string;
}

const IANA = 'https://iana.org/assignments/http-problem-types#';

/** The one table: every error code of the platform, its status and its title. */
export const problemTypes = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  'malformed-request': { status: 400, title: 'The request could not be read' },
  'invalid-url': { status: 400, title: 'The long URL cannot be shortened' },
  'invalid-alias': { status: 400, title: 'The alias cannot be used' },
  'invalid-expiry': { status: 400, title: 'The expiry time cannot be used' },
  'token-missing': { status: 401, title: 'An access token is required' },
  'token-refused': { status: 401, title: 'The access token was refused' },
  'management-token-refused': { status: 401, title: 'The management token was refused' },
  'scope-missing': { status: 403, title: 'The access token lacks a scope' },
  'caller-denied': { status: 403, title: 'This caller is not served here' },
  'link-blocked': { status: 403, title: 'This link is blocked' },
  'not-found': { status: 404, title: 'Nothing is here' },
  'link-not-found': { status: 404, title: 'No such link' },
  'link-expired': { status: 404, title: 'This link has expired' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'not-acceptable': { status: 406, title: 'No acceptable representation' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'alias-taken': { status: 409, title: 'The alias is taken' },
  'link-not-active': { status: 409, title: 'The link is no longer active' },
  'request-in-progress': { status: 409, title: 'The same request is still being worked on' },
  conflict: { status: 409, title: 'The request conflicts with what is stored' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'target-too-long': { status: 414, title: 'The request target is too long' },
  'media-type-unsupported': { status: 415, title: 'The media type is not supported' },
  'expectation-failed': { status: 417, title: 'The expectation cannot be met' },
  'misdirected-request': { status: 421, title: 'This host is not served here' },
  'destination-blocklisted': { status: 422, title: 'The destination is on a blocklist' },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
  },
  'quota-exceeded': { status: 429, title: 'Too many requests', uri: `${IANA}quota-exceeded` },
  'too-many-attempts': { status: 429, title: 'Too many attempts' },
  'headers-too-large': { status: 431, title: 'The header section is too large' },
  'internal-error': { status: 500, title: 'Something went wrong on our side' },
  'not-implemented': { status: 501, title: 'The method is not implemented' },
  'upstream-failed': { status: 502, title: 'The service behind the gateway failed' },
  'limiter-unavailable': {
    status: 503,
    title: 'Capacity is reduced for a moment',
    uri: `${IANA}temporary-reduced-capacity`,
  },
  'service-unavailable': { status: 503, title: 'The service is not available right now' },
  'store-unavailable': { status: 503, title: 'The store cannot be reached right now' },
  'upstream-timeout': {
    status: 504,
    title: 'The service behind the gateway did not answer in time',
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemCode = keyof typeof problemTypes;

/** The `type` member of a problem: the registered URI where there is one, else a URN of ours. */
export function problemTypeUri(code: ProblemCode): string {
  const type: ProblemType = problemTypes[code];
  return type.uri ?? `urn:gatepost:problem:${code}`;
}
