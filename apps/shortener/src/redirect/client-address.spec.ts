import { clientAddressOf, trustsPeers } from './client-address.ts';

const trusts = trustsPeers(['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']);

describe('clientAddressOf', () => {
  it.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '1.1.1.1', '203.0.113.9'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['::ffff:127.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['::ffff:203.0.113.9', '1.1.1.1', '203.0.113.9'],
    ['10.9.8.7', 'spoofed, 6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['10.9.8.7', '6.6.6.6,1.1.1.1 , 10.0.0.2', '1.1.1.1'],
    ['fd00::1', '2001:db8::1', '2001:db8::1'],
    ['::1', '::ffff:1.1.1.1', '1.1.1.1'],
    ['127.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['127.0.0.1', 'unknown', '127.0.0.1'],
    ['127.0.0.1', '1.1.1.1, garbage', '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', '1.1.1.1:8080', '127.0.0.1'],
  ])('peer %s, forwarded for %s: %s', (peer, forwardedFor, client) => {
    expect(clientAddressOf(peer, forwardedFor, trusts)).toBe(client);
  });

  it('trusts nobody where nobody is named', () => {
    expect(clientAddressOf('127.0.0.1', '1.1.1.1', trustsPeers([]))).toBe('127.0.0.1');
  });
});
