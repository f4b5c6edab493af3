import { environmentContract } from '@gatepost/service-kit/contract';
import { environment, tokenExpectations } from './env.ts';

const { production, refusedVariables } = environmentContract({
  environment,
  readme: new URL('../README.md', import.meta.url),
  production: {
    DATABASE_URL: 'postgresql://links@db.example/links',
    REDIS_URL: 'redis://cache.example',
    KAFKA_BROKERS: 'kafka.example:9092',
  },
  refusedInProduction: [
    ['the embedded database', { DATABASE_URL: '' }, 'DATABASE_URL'],
    ['a cache in process alone', { REDIS_URL: '' }, 'REDIS_URL'],
    ['clicks counted in process', { KAFKA_BROKERS: '' }, 'KAFKA_BROKERS'],
    ['private destinations', { ALLOW_PRIVATE_DESTINATIONS: 'true' }, 'ALLOW_PRIVATE_DESTINATIONS'],
  ],
  refusedEverywhere: [
    ['a number of proxies', { TRUSTED_PROXIES: '1' }, 'TRUSTED_PROXIES'],
    ['a code length outside the contract', { CODE_LENGTH: '5' }, 'CODE_LENGTH'],
  ],
});

describe('access tokens', () => {
  it('need a status in production, where they have to be revocable', () => {
    expect(tokenExpectations(environment.parse(production)).requireStatus).toBe(true);
    expect(tokenExpectations(environment.parse({})).requireStatus).toBe(false);
  });

  it('are asked about with the credentials that are set, both of them', () => {
    const credentials = {
      INTROSPECTION_CLIENT_ID: 'links',
      INTROSPECTION_CLIENT_SECRET: 'a secret',
    };
    expect(tokenExpectations(environment.parse(credentials)).introspection).toEqual({
      clientId: 'links',
      clientSecret: 'a secret',
    });
    expect(tokenExpectations(environment.parse({})).introspection).toBeUndefined();
    for (const [variable, value] of Object.entries(credentials))
      expect(refusedVariables({ [variable]: value })).toEqual(['INTROSPECTION_CLIENT_ID']);
  });
});
