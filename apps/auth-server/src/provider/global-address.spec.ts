import { isGlobalAddress } from './global-address.ts';

describe('an address', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('%s is globally reachable', (address) => expect(isGlobalAddress(address)).toBe(true));

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '::ffff:8.8.8.8',
    '64:ff9b::1',
    'localhost',
    '',
  ])('%s is not', (address) => expect(isGlobalAddress(address)).toBe(false));
});
