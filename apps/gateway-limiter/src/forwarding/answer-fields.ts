import {
  CONNECTION_FIELDS,
  FieldClasses,
  namedByConnection,
  RATE_FIELDS,
} from './connection-fields.ts';
import { latin1 } from './latin1.ts';

/** The fields a browser may read only when it is told so (Fetch, CORS-safelisted response-header names). */
export const EXPOSED_FIELDS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
].join(', ');

type AnswerFieldClass =
  | 'dropped'
  | 'connection'
  | 'content-length'
  | 'nosniff'
  | 'cross-origin'
  | 'date'
  | 'transfer-encoding';

const answerFields = new FieldClasses<AnswerFieldClass>((name) => {
  if (name === 'connection' || name === 'content-length' || name === 'transfer-encoding')
    return name;
  if (name === 'date') return name;
  if (name === 'x-content-type-options') return 'nosniff';
  if (name === 'access-control-allow-origin') return 'cross-origin';
  if (name === 'x-request-id') return 'dropped';
  return CONNECTION_FIELDS.includes(name) || RATE_FIELDS.includes(name) ? 'dropped' : undefined;
});

export interface AnswerFields {
  /** Names and values in turn. */
  readonly fields: string[];
  /** Length of the body where the upstream announced one. */
  readonly length: number | undefined;
  /** Has it said when it answered? */
  readonly isDated: boolean;
}

/** The fields of the answer that goes to the client, from what the upstream sent and what the limiter said. */
export function buildAnswerFields(
  upstream: readonly Buffer[],
  answer: { readonly requestId: string; readonly rateFields: readonly string[] },
  status: number,
): AnswerFields {
  const fields: string[] = [];
  let connection: string | undefined;
  let length: string | undefined;
  let isNosniff = false;
  let isCrossOrigin = false;
  let isChunked = false;
  let isDated = false;
  for (let index = 0; index < upstream.length; index += 2) {
    const name = latin1(upstream[index] as Buffer);
    const kind = answerFields.get(name);
    if (kind === 'dropped') continue;
    const value = latin1(upstream[index + 1] as Buffer);
    if (kind === undefined) fields.push(name, value);
    else if (kind === 'connection') connection = connection ? `${connection},${value}` : value;
    else if (kind === 'content-length') length = value;
    else if (kind === 'transfer-encoding') isChunked = true;
    else {
      fields.push(name, value);
      if (kind === 'date') isDated = true;
      else if (kind === 'nosniff') isNosniff = true;
      else isCrossOrigin = true;
    }
  }
  const named = namedByConnection(connection);
  if (named) removeNamed(fields, named);
  // RFC 9112 §6.3: chunked wins over a length; RFC 9110 §8.6: neither belongs to 1xx and 204.
  if (isChunked || status === 204) length = undefined;
  if (length !== undefined) fields.push('content-length', length);
  if (!isNosniff) fields.push('x-content-type-options', 'nosniff');
  if (isCrossOrigin) fields.push('access-control-expose-headers', EXPOSED_FIELDS);
  fields.push('via', '1.1 gatepost', 'x-request-id', answer.requestId);
  for (const part of answer.rateFields) fields.push(part);
  return { fields, length: length === undefined ? undefined : Number(length), isDated };
}

function removeNamed(fields: string[], named: ReadonlySet<string>): void {
  for (let index = fields.length - 2; index >= 0; index -= 2) {
    if (named.has((fields[index] as string).toLowerCase())) fields.splice(index, 2);
  }
}

/** Trailer fields that may not be sent there: framing, routing, authentication, caching (RFC 9110 §6.5.1). */
const NO_TRAILER =
  /^(?:content-.*|transfer-encoding|host|connection|keep-alive|te|trailer|upgrade|via|authorization|proxy-.*|www-authenticate|set-cookie|cookie|age|cache-control|expires|date|location|retry-after|vary|warning|x-ratelimit-.*|ratelimit.*|access-control-.*)$/i;

/** The trailer section as pairs, as far as it may be passed on. */
export function readTrailers(raw: readonly Buffer[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = latin1(raw[index] as Buffer);
    if (!NO_TRAILER.test(name)) pairs.push([name, latin1(raw[index + 1] as Buffer)]);
  }
  return pairs;
}
