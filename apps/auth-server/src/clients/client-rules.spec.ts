import { registerClient } from '@gatepost/contracts';
import { fromMetadata, toMetadata } from './client-metadata.ts';
import { judgeClient, judgeRedirectUri } from './client-rules.ts';

const client = (members: Record<string, unknown> = {}) =>
  registerClient.parse({ name: 'App', redirectUris: ['https://app.example/cb'], ...members });
const pointers = (members: Record<string, unknown>) =>
  judgeClient(client(members)).map(({ pointer }) => pointer);

describe('a redirect URI', () => {
  it.each([
    ['https://app.example/cb', 'web'],
    ['https://app.example/cb?tenant=1', 'web'],
    ['http://localhost:3000/cb', 'web'],
    ['http://127.0.0.1:8400/cb', 'native'],
    ['http://[::1]:8400/cb', 'native'],
    ['com.example.app:/cb', 'native'],
  ] as const)('may be %s for a %s application', (uri, type) => {
    expect(judgeRedirectUri(uri, type)).toBeUndefined();
  });

  it.each([
    ['http://app.example/cb', 'web'],
    ['http://localhost.evil.example/cb', 'web'],
    ['https://app.example/cb#fragment', 'web'],
    ['https://app.example/*', 'web'],
    ['https://*.example/cb', 'web'],
    ['https://user:password@app.example/cb', 'web'],
    ['https://app.example/c\tb', 'web'],
    [' https://app.example/cb', 'web'],
    ['/cb', 'web'],
    ['com.example.app:/cb', 'web'],
    ['javascript:alert(1)', 'native'],
    ['data:text/html,x', 'native'],
    ['myapp:/cb', 'native'],
    ['', 'web'],
  ] as const)('may not be %j for a %s application', (uri, type) => {
    expect(judgeRedirectUri(uri, type)).toBeDefined();
  });
});

describe('a client', () => {
  it('has no fault as an ordinary web application', () => {
    expect(judgeClient(client())).toEqual([]);
  });

  it.each([
    ['/redirectUris', { redirectUris: [] }],
    ['/redirectUris', { grantTypes: ['client_credentials'] }],
    [
      '/authentication',
      { grantTypes: ['client_credentials'], redirectUris: [], authentication: 'none' },
    ],
    ['/grantTypes', { grantTypes: ['client_credentials', 'refresh_token'], redirectUris: [] }],
    ['/jwks', { authentication: 'private_key_jwt' }],
    [
      '/jwks',
      { authentication: 'private_key_jwt', jwks: { keys: [] }, jwksUri: 'https://a.example/jwks' },
    ],
    ['/jwks', { authentication: 'private_key_jwt', jwks: { keys: [{ kty: 'EC', d: 'private' }] } }],
    ['/jwks', { jwksUri: 'https://a.example/jwks' }],
    ['/introspects', { authentication: 'none', introspects: ['https://api.example'] }],
    ['/backchannelLogoutUri', { backchannelLogoutUri: 'https://a.example/#x' }],
  ])('has a fault at %s for %j', (pointer, members) => {
    expect(pointers(members)).toContain(pointer);
  });

  it('may not be named like a person', () => {
    const named = (clientId: string) => registerClient.safeParse({ ...client(), clientId }).success;
    expect(named('a11ce000-0000-4000-8000-000000000001')).toBe(false);
    expect(named('billing-service')).toBe(true);
  });

  it('is read from its metadata as it was written', () => {
    const written = client({
      grantTypes: ['authorization_code', 'refresh_token'],
      backchannelLogoutUri: 'https://app.example/logout',
      backchannelLogoutSessionRequired: true,
      dpopBoundAccessTokens: true,
      clientUri: 'https://app.example',
    });
    const { apiScopes: _scopes, introspects: _introspects, clientId: _id, ...rest } = written;
    expect(fromMetadata(toMetadata(written))).toEqual(rest);
  });
});
