import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { readAddress } from '../identity/address.ts';
import type { Networks } from '../identity/networks.ts';
import { clientAddressOf, isTrusted } from '../identity/trusted-proxies.ts';
import type { Exchange } from './exchange.ts';
import type { Sender } from './forwarded-fields.ts';

const SENDER = Symbol('sender');
const LATEST = Symbol('latest exchange');
const ROW = Symbol('exchanges in a row');
export const REFUSED = Symbol('refused');

/** A client's connection, with what the door remembers of it. */
export interface DoorSocket extends Socket {
  [SENDER]?: Sender;
  [LATEST]?: Exchange | undefined;
  [ROW]?: Set<Exchange>;
  /** Its parser has given up. */
  [REFUSED]?: boolean;
}

/** The request that came last, unless it is over. */
export function latestOn(socket: DoorSocket): Exchange | undefined {
  const latest = socket[LATEST];
  return latest?.isOver ? undefined : latest;
}

/**
 * Notes a request on its connection. Of several in a row Node tells only the first that the connection has closed:
 * `onLost` is called for each of them.
 */
export function arriveOn(
  socket: DoorSocket,
  exchange: Exchange,
  onLost: (exchange: Exchange) => void,
): void {
  const before = latestOn(socket);
  socket[LATEST] = exchange;
  if (!before) return;
  let row = socket[ROW];
  if (!row) {
    const opened = new Set<Exchange>();
    row = opened;
    socket[ROW] = opened;
    socket.once('close', () => {
      for (const each of opened) onLost(each);
    });
  }
  row.add(before).add(exchange);
}

/** An idle connection keeps nothing of its last request. */
export function leaveFrom(socket: DoorSocket, exchange: Exchange): void {
  if (socket[LATEST] === exchange) socket[LATEST] = undefined;
  socket[ROW]?.delete(exchange);
}

/** Does something once all that came before on this connection is answered, unless the client has left by then. */
export function inTurn(socket: DoorSocket, then: () => void): void {
  const before = latestOn(socket);
  if (!before) then();
  else
    before.response.once('close', () => {
      if (!socket.destroyed) then();
    });
}

/** Who sent a request: the peer of the connection, or whom a trusted peer names. */
export function senderOf(request: IncomingMessage, trustedProxies: Networks): Sender {
  const sender = senderOfSocket(request.socket, trustedProxies);
  if (!sender.isTrusted) return sender;
  const chain = request.headers['x-forwarded-for'] as string | undefined;
  const clientAddress = clientAddressOf(sender.clientAddress, chain, trustedProxies);
  return { ...sender, clientAddress };
}

/** A connection keeps its peer, so it is looked at once. */
export function senderOfSocket(socket: DoorSocket, trustedProxies: Networks): Sender {
  const known = socket[SENDER];
  if (known) return known;
  const peer = socket.remoteAddress ?? '';
  const sender = {
    clientAddress: readAddress(peer)?.toString() ?? peer,
    isTrusted: isTrusted(peer, trustedProxies),
    isEncrypted: 'encrypted' in socket,
  };
  socket[SENDER] = sender;
  return sender;
}
