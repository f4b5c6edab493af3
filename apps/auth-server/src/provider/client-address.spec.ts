import { clientAddress, trustedProxies } from './client-address.ts';

const isTrusted = trustedProxies(['127.0.0.1', '::1', '10.0.0.0/8', 'fd00::/8']);

describe('the address of a client', () => {
  it.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['10.1.2.3', '10.9.9.9', '10.9.9.9'],
    ['127.0.0.1', 'unknown', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1, <script>', '127.0.0.1'],
    ['fd00::1', '2606:4700::1', '2606:4700::1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    [undefined, '198.51.100.1', ''],
  ])('of peer %s with X-Forwarded-For %s is %s', (peer, forwardedFor, expected) => {
    expect(clientAddress(peer, forwardedFor, isTrusted)).toBe(expected);
  });

  it('is the peer when nobody is trusted', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.1', trustedProxies([]))).toBe('127.0.0.1');
  });
});
