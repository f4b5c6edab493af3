import { hash as argon2 } from '@node-rs/argon2';
import { PasswordHasher } from './password-hasher.service.ts';

describe('password hashes', () => {
  const hasher = new PasswordHasher({ PASSWORD_HASHES_AT_ONCE: 2, PASSWORD_QUEUE: 8 });

  it('are argon2id at the cost that OWASP asks for', async () => {
    expect(await hasher.hash('correct-horse-battery')).toMatch(
      /^\$argon2id\$v=19\$m=19456,(t=2,p=1|p=1,t=2)\$/,
    );
  });

  it('match their password and no other', async () => {
    const hash = await hasher.hash('correct-horse-battery');
    expect(await hasher.matches(hash, 'correct-horse-battery')).toBe(true);
    expect(await hasher.matches(hash, 'correct-horse-batterx')).toBe(false);
    expect(await hasher.matches(hash, '')).toBe(false);
  });

  it('match however the keyboard composed an accent', async () => {
    expect(await hasher.matches(await hasher.hash('\u00e4pfelbaum'), 'a\u0308pfelbaum')).toBe(true);
  });

  it('never match what is too long to be a password', async () => {
    const hash = await argon2('');
    expect(await hasher.matches(hash, 'x'.repeat(257))).toBe(false);
  });

  it('are outdated when they were made at another cost', async () => {
    const cheap = await argon2('x', { memoryCost: 8192, timeCost: 2, parallelism: 1 });
    expect(hasher.isOutdated(cheap)).toBe(true);
    expect(hasher.isOutdated(await hasher.hash('x'))).toBe(false);
  });
});
