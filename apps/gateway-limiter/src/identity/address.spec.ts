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
