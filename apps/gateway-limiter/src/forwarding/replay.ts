import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Gives a connection back to the server as if its request had asked for no upgrade, which RFC 9110 §7.8 allows: Java's
 * HttpClient offers `h2c` with every first request, bodies included. Node has already let go of the parser, so the
 * head is put back before the bytes that followed it.
 */
export function replayWithoutUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  early: Buffer,
): void {
  const { rawHeaders } = request;
  let head = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    let value = rawHeaders[index + 1] as string;
    if (/^(?:upgrade|http2-settings)$/i.test(name)) continue;
    if (/^connection$/i.test(name)) {
      value = value
        .split(',')
        .filter((token) => !/^\s*(?:upgrade|http2-settings)\s*$/i.test(token))
        .join(',');
      if (value.trim() === '') continue;
    }
    head += `${name}: ${value}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), early]));
}
