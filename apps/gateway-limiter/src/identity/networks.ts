import ipaddr from 'ipaddr.js';
import { type Address, readAddress } from './address.ts';

/** A set of networks. IPv4 ones hold IPv4 addresses only, whatever form those came in. */
export interface Networks {
  readonly size: number;
  holds(address: Address): boolean;
}

export class NetworkRefused extends Error {
  constructor(
    readonly text: string,
    fault: string,
  ) {
    super(fault);
    this.name = 'NetworkRefused';
  }
}

/** Reads `10.0.0.0/8`, `2001:db8::/32`, or a single address; throws NetworkRefused on the first that is neither. */
export function readNetworks(texts: readonly string[]): Networks {
  const networks = texts.map(readNetwork);
  return {
    size: networks.length,
    holds: (address) =>
      networks.some(
        ([network, bits]) =>
          network.kind() === address.kind() &&
          (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits),
      ),
  };
}

function readNetwork(text: string): [Address, number] {
  const [base = '', bits, ...rest] = text.trim().split('/');
  const address = readAddress(base);
  const full = base.includes(':') ? 128 : 32;
  const length = bits === undefined ? full : Number(bits);
  if (!address || rest.length > 0 || !/^\d+$/.test(bits ?? '0') || length > full)
    throw new NetworkRefused(text, `"${text}" is not a network such as 10.0.0.0/8`);
  const folded = address.kind() === 'ipv4' && full === 128;
  if (folded && length < 96)
    throw new NetworkRefused(text, `"${text}" spans IPv4 and IPv6: name the networks separately`);
  return [address, folded ? length - 96 : length];
}
