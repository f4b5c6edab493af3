import { readAddress } from './address.ts';
import { NetworkRefused, type Networks, readNetworks } from './networks.ts';

/**
 * Reads TRUSTED_PROXIES: networks only. `true` and hop counts are refused, for both believe whatever a client writes
 * (or, where the framework ignores them, put every client behind one balancer into one bucket); so is a network that
 * holds everybody.
 */
export function readTrustedProxies(texts: readonly string[]): Networks {
  for (const text of texts) {
    if (/^(true|false|\d+)$/i.test(text.trim()))
      throw new NetworkRefused(text, `"${text}" trusts by count or blindly: list networks`);
    if (/\/0+$/.test(text)) throw new NetworkRefused(text, `"${text}" would trust everybody`);
  }
  return readNetworks(texts);
}

/**
 * The client's address: the last one in the chain that no trusted proxy vouches for. `forwarded` (X-Forwarded-For) is read from
 * the right, each entry only because the hop after it is trusted; an entry that is no address ends the walk, and the hop
 * that wrote it counts as the client.
 */
export function clientAddressOf(
  remoteAddress: string | undefined,
  forwarded: string | readonly string[] | undefined,
  trusted: Networks,
): string {
  const peer = remoteAddress ?? '';
  if (trusted.size === 0 || !forwarded || !isTrusted(peer, trusted)) return peer;
  const forwardedFor = typeof forwarded === 'string' ? forwarded : forwarded.join(',');
  let client = peer;
  let end = forwardedFor.length;
  while (end >= 0) {
    const comma = forwardedFor.lastIndexOf(',', end - 1);
    const address = readAddress(forwardedFor.slice(comma + 1, end));
    if (!address) return client;
    client = address.toString();
    if (!trusted.holds(address) || comma <= 0) return client;
    end = comma;
  }
  return client;
}

/** Is this peer one of ours? Also decides whether its X-Request-Id, X-Forwarded-* and traceparent are believed. */
export function isTrusted(peer: string, trusted: Networks): boolean {
  const address = readAddress(peer);
  return address !== undefined && trusted.holds(address);
}
