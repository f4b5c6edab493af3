import { BlockList, isIP } from 'node:net';

/** Whether what a peer says of others is believed. */
export type TrustsPeer = (address: string) => boolean;

const MAX_KNOWN = 10_000;

/** From addresses and CIDR blocks. Two lists, for a `BlockList` would take an IPv4 address for its mapped form as well. */
export function trustsPeers(blocks: readonly string[]): TrustsPeer {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/');
    const family = isIP(network) === 6 ? 6 : 4;
    lists[family].addSubnet(network, Number(prefix ?? (family === 6 ? 128 : 32)), `ipv${family}`);
  }
  // A check costs about a microsecond, and the peers are few: the gateway's.
  const known = new Map<string, boolean>();
  return (address) => {
    const answer = known.get(address);
    if (answer !== undefined) return answer;
    const family = isIP(address);
    const isTrusted =
      family !== 0 && lists[family as 4 | 6].check(address, family === 6 ? 'ipv6' : 'ipv4');
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(address, isTrusted);
    return isTrusted;
  };
}

/**
 * Who sent a request: the nearest address that is no trusted peer. `X-Forwarded-For` is read from its end, where our own
 * gateway writes; what a stranger put in front of that is never reached.
 */
export function clientAddressOf(
  peer: string,
  forwardedFor: string | undefined,
  trusts: TrustsPeer,
): string {
  let nearest = unmapped(peer);
  if (forwardedFor === undefined || !trusts(nearest)) return nearest;
  const named = forwardedFor.split(',');
  for (let index = named.length - 1; index >= 0; index--) {
    const address = unmapped((named[index] as string).trim());
    if (isIP(address) === 0) return nearest;
    nearest = address;
    if (!trusts(address)) return address;
  }
  return nearest;
}

/** A socket that listens on IPv6 shows its IPv4 peers so. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
