import ipaddr from 'ipaddr.js';
import { isGlobalUnicast } from './global-address.ts';

describe('isGlobalUnicast', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:82a::200e',
    '3ffe::1',
    '3fff:1000::1',
  ])('takes %s for public', (address) => {
    expect(isGlobalUnicast(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.0.170',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.168.1.1',
    '192.175.48.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '::8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:1::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '2002:808:808::1',
    '2620:4f:8000::1',
    '3fff::1',
    '3fff:fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
  ])('does not take %s for public', (address) => {
    expect(isGlobalUnicast(address)).toBe(false);
  });

  it.each(['', 'example.com', '127.1', '0x7f.0.0.1', '[::1]', '1.2.3.4.5', ' 8.8.8.8'])(
    'takes no other text for an address: "%s"',
    (text) => {
      expect(isGlobalUnicast(text)).toBe(false);
    },
  );

  it('never calls public what another implementation of the registries calls special', () => {
    let state = 0x2545f491;
    const next = () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state >>> 0;
    };
    for (let round = 0; round < 20_000; round++) {
      const bytes = Array.from({ length: round % 2 ? 4 : 16 }, () => next() & 255);
      const address = ipaddr.fromByteArray(bytes);
      if (isGlobalUnicast(address.toString())) expect(address.range()).toBe('unicast');
    }
  });
});
