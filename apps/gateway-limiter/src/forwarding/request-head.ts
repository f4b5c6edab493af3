import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemCode } from '@gatepost/problem-details';
import { readHost } from './host.ts';
import { type RequestTarget, readTarget } from './request-target.ts';

/** What a parser hands over; IncomingMessage fits. */
export interface HeadLines {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** A head that can be read in one way only. */
export interface RequestHead {
  readonly method: string;
  readonly target: RequestTarget;
  /** For routing: lower case, without port; `''` for HTTP/1.0 without Host. */
  readonly host: string;
  /** Host as it is forwarded. */
  readonly hostField: string | undefined;
}

export interface HeadFault {
  readonly code: ProblemCode;
  readonly detail: string;
}

export const MAX_HEADER_FIELDS = 128;
export const MAX_TARGET_LENGTH = 8 * 1024;

/**
 * Reads the head, or says why it is refused: everything that Node's parser lets through although two servers could
 * understand it differently (request smuggling, RFC 9112 §11.2).
 */
export function readHead(lines: HeadLines): RequestHead | HeadFault {
  const { rawHeaders, headers, httpVersion, method = '', url = '' } = lines;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return malformed('Speak HTTP/1.1 (or HTTP/1.0).');
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS)
    return { code: 'headers-too-large', detail: `More than ${MAX_HEADER_FIELDS} header fields.` };
  if (url.length > MAX_TARGET_LENGTH)
    return {
      code: 'target-too-long',
      detail: `The request target is longer than ${MAX_TARGET_LENGTH} characters.`,
    };
  const hostField = headers.host;
  // RFC 9112 §3.2: 400 to a missing Host in HTTP/1.1 and to several in any version. Node keeps the first and is silent.
  if (hostField === undefined ? httpVersion === '1.1' : hasSecondHost(rawHeaders))
    return malformed(hostField === undefined ? 'The Host field is missing.' : 'Two Host fields.');
  const codingFault = faultOfTransferCoding(headers['transfer-encoding'], httpVersion);
  if (codingFault) return codingFault;
  const target = readTarget(method, url);
  if ('fault' in target) return malformed(target.fault);
  const host = hostField === undefined ? '' : readHost(hostField);
  const authority = target.authority === undefined ? host : readHost(target.authority);
  if (host === undefined || authority === undefined) return malformed('The host is not valid.');
  return { method, target, host: authority, hostField: target.authority ?? hostField };
}

function malformed(detail: string): HeadFault {
  return { code: 'malformed-request', detail };
}

function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') seen++;
  }
  return seen > 1;
}

/** The parser has refused a coding list that does not end in chunked, and Content-Length beside it. */
function faultOfTransferCoding(coding: string | undefined, version: string): HeadFault | undefined {
  if (coding === undefined) return undefined;
  // RFC 9112 §6.1: an HTTP/1.0 message with Transfer-Encoding has faulty framing.
  if (version === '1.0') return malformed('HTTP/1.0 knows no Transfer-Encoding.');
  if (coding.toLowerCase() === 'chunked') return undefined;
  if (coding.trim() === '') return malformed('The Transfer-Encoding is empty.');
  return { code: 'not-implemented', detail: 'The only transfer coding known here is chunked.' };
}
