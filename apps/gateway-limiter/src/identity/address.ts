import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** NAT64 (RFC 6052): the client behind it is the IPv4 address in the last 32 bits. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];

/**
 * Reads an address as sockets and proxies write it: with a zone, in brackets, with a port. IPv4 in IPv6 is folded by
 * its bits, not by its spelling: `::ffff:1.2.3.4` and `::ffff:102:304` are both 1.2.3.4. `undefined` for anything else.
 */
export function readAddress(text: string): Address | undefined {
  const bare = withoutPortAndZone(text.trim());
  // Only the strict forms: ipaddr.js alone would also take 0x7f.1 for an address.
  if (isIP(bare) === 0) return undefined;
  return foldAddress(ipaddr.parse(bare));
}

export function foldAddress(address: Address): Address {
  if (address.kind() === 'ipv4') return address;
  const v6 = address as ipaddr.IPv6;
  if (v6.isIPv4MappedAddress()) return v6.toIPv4Address();
  if (v6.match(NAT64)) return new ipaddr.IPv4(v6.toByteArray().slice(12));
  return v6;
}

/**
 * What counts as one client: an IPv4 address, or an IPv6 network of `prefixBits`, which is the least that one
 * customer is given; single IPv6 addresses are free for the taking.
 */
export function clientNetworkOf(address: Address, prefixBits = 64): string {
  if (address.kind() === 'ipv4') return address.toString();
  const bytes = (address as ipaddr.IPv6).toByteArray();
  for (let index = 0; index < 16; index++) {
    const kept = Math.min(8, Math.max(0, prefixBits - index * 8));
    bytes[index] = (bytes[index] as number) & (0xff << (8 - kept)) & 0xff;
  }
  return `${new ipaddr.IPv6(bytes).toRFC5952String()}/${prefixBits}`;
}

function withoutPortAndZone(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  const inner = bracketed ? (bracketed[1] as string) : text.replace(/^(\d+\.[\d.]+):\d+$/, '$1');
  const zone = inner.indexOf('%');
  return zone < 0 ? inner : inner.slice(0, zone);
}
