import { hash } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** Who a visitor is to one link on one day: 64 bits of a hash that nobody can redo once the day's salt is destroyed. */
export function visitorOf(visit: {
  salt: string;
  code: string;
  ip: string;
  userAgent: string | null;
}): string {
  const { salt, code, ip, userAgent } = visit;
  const digest = hash('sha256', `${salt}\n${code}\n${ip}\n${userAgent ?? ''}`, 'buffer');
  return digest.readBigInt64BE(0).toString();
}

export type IpMode = 'truncate' | 'drop' | 'raw';

/** What is stored of an address: its network (/24 or /48), nothing, or itself. */
export function storedAddress(ip: string, mode: IpMode): string | null {
  if (mode === 'drop') return null;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  const address = mapped ?? ip;
  if (mode === 'raw') return address;
  if (isIPv4(address)) return address.replace(/\.\d+$/, '.0');
  const [prefix = ''] = address.split('%');
  const groups = expandGroups(prefix);
  return groups === undefined ? null : `${groups.slice(0, 3).join(':')}::`;
}

/** The first three groups of an IPv6 address as written, `::` filled in; undefined for anything else. */
function expandGroups(address: string): string[] | undefined {
  if (!/^[0-9a-f:]+$/i.test(address)) return undefined;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 0) return undefined;
  return [...left, ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...right].map(
    (group) => group.toLowerCase().replace(/^0+(?=.)/, ''),
  );
}
