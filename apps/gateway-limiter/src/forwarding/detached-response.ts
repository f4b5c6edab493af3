import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeLingering } from './lingering-close.ts';

/** A response for a connection that Node's server has let go of: the last one on it, and closed lingering. */
export function respondOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    closeLingering(socket);
    response.emit('close');
  });
  return response;
}
