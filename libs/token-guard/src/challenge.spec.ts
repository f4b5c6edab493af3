import { type TokenRefusal, TokenRefused, TokenUndecided, tokenRefusals } from './access-token.ts';
import {
  credentialsUnreadable,
  scopeMissing,
  tokenMissing,
  tokenRefused,
  tokenUndecided,
} from './challenge.ts';
import { readAuthorization } from './presented-token.ts';

const reasons = Object.keys(tokenRefusals) as TokenRefusal[];

describe('a challenge', () => {
  it.each(reasons)('for %s is 401 and a well-formed field', (reason) => {
    for (const scheme of ['bearer', 'dpop'] as const) {
      const { code, headers } = tokenRefused(new TokenRefused(reason), scheme);
      expect(code).toBe('token-refused');
      expect(headers['www-authenticate']).toMatch(
        /^(Bearer realm="gatepost"|DPoP algs="[A-Za-z0-9 ]+"), error="(invalid_token|invalid_dpop_proof)", error_description="[\x20-\x21\x23-\x5b\x5d-\x7e]+"$/,
      );
    }
  });

  it('names faults of the proof apart', () => {
    const of = (reason: TokenRefusal) =>
      tokenRefused(new TokenRefused(reason), 'dpop').headers['www-authenticate'];
    expect(of('proof-replayed')).toContain('error="invalid_dpop_proof"');
    expect(of('expired')).toContain('error="invalid_token"');
    expect(of('proof-required')).toContain('error="invalid_token"');
  });

  it('asks for DPoP where a bound token came as a bearer', () => {
    const { headers } = tokenRefused(new TokenRefused('proof-required'), 'bearer');
    expect(headers['www-authenticate']).toMatch(/^DPoP algs=/);
  });

  it('names no error where nothing was sent', () => {
    const { code, headers } = tokenMissing();
    expect(code).toBe('token-missing');
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="gatepost", DPoP algs="[^"]+"$/);
  });

  it('names the missing scopes', () => {
    const { code, headers } = scopeMissing(['links:read', 'links:write'], 'bearer');
    expect(code).toBe('scope-missing');
    expect(headers['www-authenticate']).toContain(
      'error="insufficient_scope", error_description="The access token lacks the scope links:read links:write.", scope="links:read links:write"',
    );
  });

  it('is not made when the service is at fault', () => {
    for (const lacking of ['status', 'signing-keys'] as const) {
      const { code, headers } = tokenUndecided(new TokenUndecided(lacking));
      expect(code).toBe('service-unavailable');
      expect(headers).toEqual({ 'retry-after': '1' });
    }
  });

  it('is made for credentials of another kind', () => {
    expect(credentialsUnreadable().code).toBe('token-refused');
  });
});

describe('an Authorization field', () => {
  it.each([
    ['Bearer abc.def.ghi', { scheme: 'bearer', token: 'abc.def.ghi' }],
    ['bearer abc', { scheme: 'bearer', token: 'abc' }],
    ['BEARER   abc== ', { scheme: 'bearer', token: 'abc==' }],
    ['DPoP abc', { scheme: 'dpop', token: 'abc' }],
  ])('%p holds a token', (field, expected) => {
    expect(readAuthorization(field)).toEqual(expected);
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a,b',
    'Basic YTpi',
    'abc',
    'Bearer: a',
    'Bearer ü',
    ' Bearer a',
    'Bearer a=b',
  ])('%p holds none', (field) => {
    expect(readAuthorization(field)).toBeUndefined();
  });
});
