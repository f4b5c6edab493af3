import { environmentContract } from '@gatepost/service-kit/contract';
import { environment } from './env.ts';

environmentContract({
  environment,
  readme: new URL('../README.md', import.meta.url),
  production: {
    DATABASE_URL: 'postgresql://auth@db.example/auth',
    ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
    COOKIE_KEYS: 'a cookie key of production that is long',
  },
  refusedInProduction: [
    ['the embedded database', { DATABASE_URL: '' }, 'DATABASE_URL'],
    ['the encryption key of development', { ENCRYPTION_KEYS: '' }, 'ENCRYPTION_KEYS'],
    ['the cookie key of development', { COOKIE_KEYS: '' }, 'COOKIE_KEYS'],
    ['relaxed checks', { AUTH_STRICT: 'false' }, 'AUTH_STRICT'],
  ],
  refusedEverywhere: [
    ['a number of proxies', { TRUSTED_PROXIES: '1' }, 'TRUSTED_PROXIES'],
    ['an encryption key that is too short', { ENCRYPTION_KEYS: 'c2hvcnQ=' }, 'ENCRYPTION_KEYS'],
  ],
});
