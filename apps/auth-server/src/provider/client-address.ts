import { BlockList, isIP } from 'node:net';

/** Tells which peers are proxies of ours. */
export type TrustedProxies = (address: string) => boolean;

/** Looking an address up among the blocks takes as long as a tenth of a token; the peers are always the same few. */
const PEERS_REMEMBERED = 1_000;

/** Addresses and CIDR blocks as a test. IPv4 addresses of a socket that listens on IPv6 are recognised. */
export function trustedProxies(list: readonly string[]): TrustedProxies {
  const blocks = new BlockList();
  for (const item of list) {
    const [network = '', prefix] = item.split('/');
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) blocks.addAddress(network, family);
    else blocks.addSubnet(network, Number(prefix), family);
  }
  const known = new Map<string, boolean>();
  return (address) => {
    let isTrusted = known.get(address);
    if (isTrusted === undefined) {
      const family = isIP(address);
      isTrusted = family !== 0 && blocks.check(address, family === 6 ? 'ipv6' : 'ipv4');
      if (known.size >= PEERS_REMEMBERED) known.clear();
      known.set(address, isTrusted);
    }
    return isTrusted;
  };
}

/**
 * The address a request came from: the last one that no proxy of ours spoke for. What stands left of it in X-Forwarded-For was
 * written by strangers.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: TrustedProxies,
): string {
  let address = withoutMapping(peer ?? '');
  const hops = forwardedFor?.split(',') ?? [];
  for (let hop = hops.length - 1; hop >= 0 && isTrusted(address); hop--) {
    const next = withoutMapping((hops[hop] as string).trim());
    if (isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** `::ffff:192.0.2.1` is how a dual-stack socket writes 192.0.2.1. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
