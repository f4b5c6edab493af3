import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IANA special-purpose IPv4 blocks (RFC 6890 registry), multicast and the reserved class E: all that is not a public host.
 * Two lists, one for each family: a `BlockList` that knows `::ffff:0:0/96` takes every IPv4 address for a member.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The one block that IANA gives out for global unicast; mapped, translated, local and multicast addresses lie outside. */
const GLOBAL_IPV6 = ['2000::/3'];

/** Within it: protocol assignments with Teredo, documentation, 6to4 (which embeds any IPv4 address), AS112. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const specialIpv4 = blockListOf(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = blockListOf(GLOBAL_IPV6, 'ipv6');
const specialIpv6 = blockListOf(SPECIAL_IPV6, 'ipv6');

/** Whether `address`, an IP address without brackets or zone, is globally reachable unicast. */
export function isGlobalUnicast(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function blockListOf(blocks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const blockList = new BlockList();
  for (const block of blocks) {
    const [network, prefix] = block.split('/') as [string, string];
    blockList.addSubnet(network, Number(prefix), family);
  }
  return blockList;
}
