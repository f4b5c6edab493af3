import { readNetworks } from './networks.ts';
import { clientAddressOf, isTrusted, readTrustedProxies } from './trusted-proxies.ts';

describe('readTrustedProxies', () => {
  it.each([
    'true',
    'false',
    '1',
    '2',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'loopback',
    '10.0.0.0/x',
    '::ffff:0:0/90',
  ])('refuses "%s"', (text) => {
    expect(() => readTrustedProxies([text])).toThrow(`"${text}"`);
  });

  it('takes networks and single addresses', () => {
    const trusted = readTrustedProxies([
      '10.0.0.0/8',
      '2001:db8::/32',
      '192.0.2.1',
      '::ffff:172.16.0.0/108',
    ]);
    expect(isTrusted('10.255.0.1', trusted)).toBe(true);
    expect(isTrusted('::ffff:10.1.2.3', trusted)).toBe(true);
    expect(isTrusted('2001:db8:ffff::1', trusted)).toBe(true);
    expect(isTrusted('192.0.2.1', trusted)).toBe(true);
    expect(isTrusted('192.0.2.2', trusted)).toBe(false);
    expect(isTrusted('172.31.0.1', trusted)).toBe(true);
    expect(isTrusted('172.32.0.1', trusted)).toBe(false);
    expect(isTrusted('', trusted)).toBe(false);
  });
});

describe('clientAddressOf', () => {
  const trusted = readNetworks(['10.0.0.0/8']);

  it.each([
    ['an untrusted peer cannot name another client', '198.51.100.7', '192.0.2.1', '198.51.100.7'],
    ['a trusted peer names the client', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
    [
      'a dual-stack socket shows the peer in its mapped form',
      '::ffff:10.0.0.1',
      '192.0.2.1',
      '192.0.2.1',
    ],
    [
      'what the client itself wrote, further left, is not believed',
      '10.0.0.1',
      '1.1.1.1, 192.0.2.1',
      '192.0.2.1',
    ],
    [
      'trusted hops are stepped over',
      '10.0.0.1',
      '1.1.1.1, 192.0.2.1, 10.0.0.9,10.0.0.8',
      '192.0.2.1',
    ],
    ['a chain of trusted hops ends at its first', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    [
      'a word that is no address ends the walk',
      '10.0.0.1',
      '192.0.2.1, unknown, 10.0.0.2',
      '10.0.0.2',
    ],
    ['a chain that ends in rubbish leaves the peer', '10.0.0.1', '192.0.2.1, rubbish', '10.0.0.1'],
    ['an empty entry leaves the peer', '10.0.0.1', '192.0.2.1,', '10.0.0.1'],
    ['a leading comma is an empty entry', '10.0.0.1', ',10.0.0.2', '10.0.0.2'],
    ['ports are dropped', '10.0.0.1', '192.0.2.1:1234', '192.0.2.1'],
    ['no chain at all', '10.0.0.1', undefined, '10.0.0.1'],
    ['a socket that is gone has no address', undefined, '192.0.2.1', ''],
  ])('%s', (_title, peer, forwardedFor, expected) => {
    expect(clientAddressOf(peer, forwardedFor, trusted)).toBe(expected);
  });

  it('believes nobody when no proxy is trusted', () => {
    expect(clientAddressOf('10.0.0.1', '192.0.2.1', readNetworks([]))).toBe('10.0.0.1');
  });
});
