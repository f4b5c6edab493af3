import { toInternalAddress } from './issuer-addresses.ts';

const addresses = {
  issuer: 'https://id.example.test/auth',
  internalUrl: 'http://auth-server:8081/auth',
};

describe('an address of the issuer', () => {
  it.each([
    ['https://id.example.test/auth/jwks', 'http://auth-server:8081/auth/jwks'],
    ['https://id.example.test/auth/status-lists/7', 'http://auth-server:8081/auth/status-lists/7'],
    ['https://id.example.test/auth/a/b%20c', 'http://auth-server:8081/auth/a/b%20c'],
  ])('%s is reached at %s', (address, internal) => {
    expect(toInternalAddress(address, addresses)).toBe(internal);
  });

  it.each([
    'https://id.example.test/auth',
    'https://id.example.test/authority/x',
    'https://id.example.test/other',
    'https://id.example.test/auth/../other',
    'https://id.example.test/auth/./x',
    'https://id.example.test/auth/%2e%2e/other',
    'https://id.example.test/auth/%2E./other',
    'https://id.example.test/auth/..%2fother',
    'https://id.example.test/auth/a%5c..%5cb',
    'https://id.example.test/auth/a\\..\\b',
    'https://id.example.test/auth/x?y=1',
    'https://id.example.test/auth/x#y',
    'https://id.example.test/auth/x y',
    'https://id.example.test/auth/\tx',
    'https://id.example.test@evil.test/auth/x',
    'https://id.example.test.evil.test/auth/x',
    'http://id.example.test/auth/x',
    'https://id.example.test:8443/auth/x',
    'HTTPS://id.example.test/auth/x',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    '/auth/x',
    '',
  ])('is not %p', (address) => {
    expect(toInternalAddress(address, addresses)).toBeUndefined();
  });
});
