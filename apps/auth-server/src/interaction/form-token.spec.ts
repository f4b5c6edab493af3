import { deriveSecrets } from '../accounts/signing-secrets.ts';
import { isFormToken, isSentFromHere, makeFormToken } from './form-token.ts';

const secrets = deriveSecrets(['a-key-of-twenty-four-letters'], 'form');

describe('the token of a form', () => {
  it('is good for what it was made for', () => {
    const token = makeFormToken({ interaction: 'abc' }, secrets);
    expect(isFormToken(token, { interaction: 'abc' }, secrets)).toBe(true);
  });

  it('is worthless for another interaction, for a session of that name, and under another key', () => {
    const token = makeFormToken({ interaction: 'abc' }, secrets);
    expect(isFormToken(token, { interaction: 'abd' }, secrets)).toBe(false);
    expect(isFormToken(token, { session: 'abc' }, secrets)).toBe(false);
    const others = deriveSecrets(['another-key-of-24-letters'], 'form');
    expect(isFormToken(token, { interaction: 'abc' }, others)).toBe(false);
    expect(isFormToken(undefined, { interaction: 'abc' }, secrets)).toBe(false);
  });
});

describe('a form', () => {
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://id.example' }, false],
    [{ origin: 'https://id.example' }, true],
    [{ origin: 'null' }, true],
    [{ origin: 'https://evil.example' }, false],
    [{}, true],
  ])('with %j is from here: %s', (headers, expected) =>
    expect(isSentFromHere(headers, 'https://id.example')).toBe(expected),
  );
});
