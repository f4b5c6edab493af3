import { isIP } from 'node:net';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
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

describe('any chain', () => {
  const trusted = readTrustedProxies(['10.0.0.0/8', '2001:db8:aaaa::/48']);
  const last = fc.integer({ min: 1, max: 254 });
  const wrap = (address: string, way: number) =>
    address.includes(':')
      ? [address, `[${address}]`, `[${address}]:443`, ` ${address} `][way % 4]
      : [address, `${address}:4711`, `::ffff:${address}`, `\t${address}`][way % 4];
  const hop = fc
    .record({
      kind: fc.constantFrom('trusted' as const, 'client' as const, 'rubbish' as const),
      last,
      six: fc.boolean(),
      way: fc.nat(3),
      rubbish: fc.oneof(
        fc.constantFrom(
          '',
          'unknown',
          '_hidden',
          '0x7f.1',
          '127.1',
          '10.0.0.1/8',
          'for=10.0.0.1',
          '10.0.0.256',
        ),
        fc.string({ maxLength: 12 }).map((text) => `x${text.replaceAll(',', '')}`),
      ),
    })
    .map(({ kind, last, six, way, rubbish }) => {
      if (kind === 'rubbish') return { kind, address: '', text: rubbish };
      const address =
        kind === 'trusted'
          ? six
            ? `2001:db8:aaaa::${last.toString(16)}`
            : `10.0.7.${last}`
          : six
            ? `2001:db8:bbbb::${last.toString(16)}`
            : `192.0.2.${last}`;
      return { kind, address, text: wrap(address, way) as string };
    });

  it('names the last hop that nobody trusted vouches for, and nothing left of it', () => {
    fc.assert(
      fc.property(hop, fc.array(hop, { maxLength: 8 }), fc.boolean(), (peer, chain, asList) => {
        const texts = chain.map(({ text }) => text);
        const found = clientAddressOf(peer.text, asList ? texts : texts.join(','), trusted);
        let expected = peer.text;
        if (peer.kind === 'trusted' && chain.length > 0)
          for (const { kind, address } of chain.toReversed()) {
            if (kind === 'rubbish') break;
            expected = address;
            if (kind === 'client') break;
          }
        expect(found).toBe(expected);
      }),
      runs(5_000),
    );
  });

  it('of any characters ends with the peer or an address, and without an exception', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom(
            '10.0.0.1',
            ',',
            ', ',
            '"',
            '[',
            ']',
            ':',
            '%',
            ';',
            '2001:db8::1',
            'for=',
          ),
        )
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (forwarded) => {
        const found = clientAddressOf('10.0.0.1', forwarded, trusted);
        expect(isIP(found)).not.toBe(0);
        expect(clientAddressOf('192.0.2.1', forwarded, trusted)).toBe('192.0.2.1');
      }),
      runs(5_000),
    );
  });
});
