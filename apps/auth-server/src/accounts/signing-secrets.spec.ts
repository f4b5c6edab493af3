import { deriveSecrets, isSigned, sign } from './signing-secrets.ts';

const keys = ['first-key-of-24-letters-x', 'second-key-of-24-letters'];

describe('signatures', () => {
  it('are made with the first key and taken from any', () => {
    const [first, second] = deriveSecrets(keys, 'form') as [Buffer, Buffer];
    expect(isSigned([second, first], ['a'], sign(first, ['a']))).toBe(true);
    expect(isSigned([second], ['a'], sign(first, ['a']))).toBe(false);
  });

  it('of one purpose are worthless for another', () => {
    const [form] = deriveSecrets(keys, 'form') as [Buffer];
    expect(isSigned(deriveSecrets(keys, 'known-browser'), ['a'], sign(form, ['a']))).toBe(false);
  });

  it('cover where one part ends and the next begins', () => {
    const [form] = deriveSecrets(keys, 'form') as [Buffer];
    expect(sign(form, ['ab', 'c'])).not.toBe(sign(form, ['a', 'bc']));
  });

  it('of another length are refused', () => {
    expect(isSigned(deriveSecrets(keys, 'form'), ['a'], 'short')).toBe(false);
  });
});
