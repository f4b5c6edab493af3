import { isIP } from 'node:net';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { clientNetworkOf, readAddress } from './address.ts';

describe('readAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
    ['64:ff9b::c000:201', '192.0.2.1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('reads %s as %s', (text, expected) => {
    expect(readAddress(text)?.toString()).toBe(expected);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    '1',
    '0x7f.1',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.1/24',
    '::1::',
    'a.b',
  ])('does not take "%s" for an address', (text) => {
    expect(readAddress(text)).toBeUndefined();
  });
});

describe('clientNetworkOf', () => {
  const networkOf = (text: string, bits?: number) => {
    const address = readAddress(text);
    return address && clientNetworkOf(address, bits);
  };

  it('keeps IPv4 addresses apart', () => {
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('::ffff:192.0.2.2')).toBe('192.0.2.2');
  });

  it('takes an IPv6 /64 for one client', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:db8:1:2:ffff::')).toBe(networkOf('2001:db8:1:2::1'));
    expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  });

  it('cuts at any bit', () => {
    expect(networkOf('2001:db8:abcd:ffff::1', 52)).toBe('2001:db8:abcd:f000::/52');
    expect(networkOf('2001:db8::1', 128)).toBe('2001:db8::1/128');
  });
});

describe('any text', () => {
  it('is an address that reads the same when it is written out, or none', () => {
    const piece = fc.oneof(
      fc.constantFrom('::', ':', '.', '[', ']', '%', 'ffff', '64:ff9b::', '127.0.0.1', ':443', ' '),
      fc.ipV4Extended(),
      fc.ipV6(),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }),
        fc.integer({ min: 0, max: 128 }),
        (all, bits) => {
          const address = readAddress(all.join(''));
          if (!address) return;
          const text = address.toString();
          expect(isIP(text)).not.toBe(0);
          expect(readAddress(text)?.toString()).toBe(text);
          const network = clientNetworkOf(address, bits);
          expect(isIP(network.replace(/\/\d+$/, ''))).not.toBe(0);
        },
      ),
      runs(5_000),
    );
  });

  it('of one IPv4 address is one client, whatever wrote it', () => {
    fc.assert(
      fc.property(
        fc.ipV4(),
        fc.constantFrom('::ffff:', '0:0:0:0:0:FFFF:', '::FfFf:', '64:ff9b::', '64:FF9B:0:0:0:0:'),
        fc.boolean(),
        fc.constantFrom('', ':1', ':65535'),
        (ipv4, prefix, asGroups, port) => {
          const [a, b, c, d] = ipv4.split('.').map(Number) as [number, number, number, number];
          const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
          const ipv6 = prefix + (asGroups ? groups : ipv4);
          for (const text of [
            ipv4,
            ipv4 + port,
            ipv6,
            `[${ipv6}]`,
            `[${ipv6}]${port}`,
            ` ${ipv6}%eth0`,
          ])
            expect(readAddress(text)?.toString()).toBe(ipv4);
        },
      ),
      runs(1_000),
    );
  });
});
