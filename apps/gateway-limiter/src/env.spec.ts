import { environmentContract } from '@gatepost/service-kit/contract';
import { environment, tokenExpectations } from './env.ts';

const { production } = environmentContract({
  environment,
  readme: new URL('../README.md', import.meta.url),
  production: {
    REDIS_URL: 'redis://limits.example',
    LIMITER_SECRET: 'a limiter secret of production',
  },
  refusedInProduction: [
    ['buckets in process', { REDIS_URL: '' }, 'REDIS_URL'],
    ['the limiter secret of development', { LIMITER_SECRET: '' }, 'LIMITER_SECRET'],
  ],
  refusedEverywhere: [
    ['a number of proxies', { TRUSTED_PROXIES: '1' }, 'TRUSTED_PROXIES'],
    ['to trust everybody', { TRUSTED_PROXIES: '0.0.0.0/0' }, 'TRUSTED_PROXIES'],
    [
      'several workers without a shared store',
      { GATEPOST_ENV: 'development', REDIS_URL: '', WORKERS: '2' },
      'WORKERS',
    ],
    ['a certificate without its key', { TLS_CERT: 'certificate' }, 'TLS_KEY'],
  ],
});

it('takes a token for its user only with a status, in production', () => {
  expect(tokenExpectations(environment.parse(production)).requireStatus).toBe(true);
  expect(tokenExpectations(environment.parse({})).requireStatus).toBe(false);
});
