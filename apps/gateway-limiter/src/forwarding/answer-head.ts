import { type ServerResponse, STATUS_CODES } from 'node:http';

/** What Node's response holds of its head: null before there is one, then all of it as text. Not in its types. */
interface HeadedResponse extends ServerResponse {
  _header?: string | null;
  _keepAliveTimeout?: number;
}

const PRINTABLE = /^[\t\x20-\x7e]*$/;

/** A reason phrase that may be sent: the upstream's if it is harmless, else the usual one. */
export function readReason(status: number, given: string): string {
  const usual = STATUS_CODES[status] ?? '';
  return given === usual || PRINTABLE.test(given) ? given : usual;
}

/** Status line and fields, names and values in turn, without the empty line. */
export function serialiseHead(status: number, reason: string, fields: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${reason}\r\n`;
  for (let index = 0; index < fields.length; index += 2)
    head += `${fields[index]}: ${fields[index + 1]}\r\n`;
  return head;
}

/**
 * Gives a response its head. In the usual case (HTTP/1.1, the connection goes on, length and date are known) the text is
 * put where Node itself keeps it, because `writeHead` looks at every name and value three times more: they come from a
 * strict parser and from the limiter. Whatever is unusual, a Node that keeps its head elsewhere included, takes
 * `writeHead`.
 */
export function giveHead(
  response: ServerResponse,
  answer: {
    readonly status: number;
    readonly reason: string;
    readonly fields: string[];
    /** Content-Length and Date are among the fields, and a body may follow. */
    readonly isPlain: boolean;
  },
): void {
  const { status, reason, fields } = answer;
  const headed = response as HeadedResponse;
  const seconds = Math.floor((headed._keepAliveTimeout ?? 0) / 1_000);
  if (
    !answer.isPlain ||
    headed._header !== null ||
    !response.shouldKeepAlive ||
    response.req.httpVersionMinor !== 1 ||
    seconds < 1
  ) {
    response.writeHead(status, reason, fields);
    return;
  }
  response.statusCode = status;
  headed._header = `${serialiseHead(status, reason, fields)}Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
}

/**
 * Ends a response that has its head with a small body as one string and so in one plain write: `end(body)` would make
 * two pieces and a gathered write of them, which costs Node half as much again.
 */
export function endWith(response: ServerResponse, body: string): void {
  const headed = response as HeadedResponse;
  if (
    typeof headed._header !== 'string' ||
    !headed._header.endsWith('\r\n\r\n') ||
    response.req.method === 'HEAD'
  ) {
    response.end(body, 'latin1');
    return;
  }
  headed._header += body;
  response.end();
}
