import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long what a client still sends after its last answer is read and thrown away. */
const LINGER_MS = 2_000;

/**
 * Closes the sending side and reads on for a moment. Closing at once while the client still sends would reset the
 * connection, and the reset may overtake the answer, which the client then never sees (RFC 9112 §9.6).
 */
export function closeLingering(socket: Duplex): void {
  if (socket.destroyed) return;
  socket.end();
  socket.resume();
  const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(limit));
  socket.once('end', () => socket.destroy());
}

/** For an answer that says `Connection: close`: Node would close at once behind it. */
export function lingerAfterLast(response: ServerResponse): void {
  const { socket } = response;
  if (socket) socket.destroySoon = () => closeLingering(socket);
}

/** For an answer that has begun and could not say yet that it is the last: nobody wants the rest of the request. */
export function closeAfter(response: ServerResponse): void {
  const { socket } = response;
  if (socket) response.once('finish', () => closeLingering(socket));
}
