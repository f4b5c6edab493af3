import { SealBroken, Sealing } from './sealing.ts';

const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
const nonce = Buffer.alloc(12, 7);

describe('sealing', () => {
  const sealing = new Sealing([newKey, oldKey], 'keys');

  it('opens what it sealed', () => {
    expect(sealing.open(sealing.seal('secret', 'row 1', nonce), 'row 1')).toBe('secret');
  });

  it('does not show the plaintext', () => {
    expect(sealing.seal('a planted secret', 'row 1', nonce).toString('latin1')).not.toContain(
      'planted',
    );
  });

  it('opens what an older key sealed, and knows that it is to be sealed again', () => {
    const before = new Sealing([oldKey], 'keys').seal('secret', 'row 1', nonce);
    expect(sealing.open(before, 'row 1')).toBe('secret');
    expect(sealing.isCurrent(before)).toBe(false);
    expect(sealing.isCurrent(sealing.seal('secret', 'row 1', nonce))).toBe(true);
  });

  it.each([
    ['moved to another row', (sealed: Buffer) => sealing.open(sealed, 'row 2')],
    [
      'sealed for another purpose',
      (s: Buffer) => new Sealing([newKey], 'records').open(s, 'row 1'),
    ],
    ['without its key', (sealed: Buffer) => new Sealing([oldKey], 'keys').open(sealed, 'row 1')],
    [
      'altered',
      (sealed: Buffer) => {
        const altered = Buffer.from(sealed);
        altered[20] = (altered[20] as number) ^ 1;
        return sealing.open(altered, 'row 1');
      },
    ],
    ['cut off', (sealed: Buffer) => sealing.open(sealed.subarray(0, 20), 'row 1')],
  ])('refuses a ciphertext %s', (_title, open) => {
    expect(() => open(sealing.seal('secret', 'row 1', nonce))).toThrow(SealBroken);
  });
});
