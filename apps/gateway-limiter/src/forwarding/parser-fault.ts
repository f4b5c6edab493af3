import { STATUS_CODES } from 'node:http';
import { serialiseHead } from './answer-head.ts';
import type { OwnAnswer, RenderedAnswer } from './own-answer.ts';

/** An error of Node's HTTP parser or of its clock. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const METHOD_TOKEN = /^[!#$%&'*+.^_`|~\w-]{1,32} [^\r\n]* HTTP\/1\.[01]\r\n/;

/** What a client is told of a request that could not be parsed; `undefined`: nobody is there to be told. */
export function readParserFault(error: ParserError, receivedBytes: number): OwnAnswer | undefined {
  const { code = '' } = error;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    // A connection opened ahead of need, as browsers do: nothing was asked, so nothing is answered.
    if (receivedBytes === 0) return undefined;
    return { code: 'request-timeout', detail: 'The request did not arrive in time.' };
  }
  if (code === 'HPE_HEADER_OVERFLOW')
    return { code: 'headers-too-large', detail: 'The head of the request is too large.' };
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return { code: 'body-too-large', detail: 'The chunk extensions are too large.' };
  if (code === 'HPE_INVALID_METHOD' && METHOD_TOKEN.test(faultyLine(error)))
    return { code: 'not-implemented', detail: 'This method is not known here.' };
  if (code.startsWith('HPE_'))
    return { code: 'malformed-request', detail: 'The request is not valid HTTP/1.1.' };
  return undefined;
}

/** The line that the parser gave up in. */
function faultyLine({ rawPacket, bytesParsed = 0 }: ParserError): string {
  const packet = rawPacket?.toString('latin1') ?? '';
  const begin = packet.lastIndexOf('\n', bytesParsed) + 1;
  return packet.slice(begin, begin + 512);
}

/** A whole answer as text, for a connection that has no parser any more. */
export function serialiseAnswer({ status, fields, body }: RenderedAnswer): string {
  const head = serialiseHead(status, STATUS_CODES[status] ?? '', fields);
  return `${head}date: ${new Date().toUTCString()}\r\n\r\n${body}`;
}
