import { readFileSync } from 'node:fs';
import { EnvironmentRefused } from '@gatepost/service-kit';
import { environment, tokenExpectations } from './env.ts';

const production = {
  GATEPOST_ENV: 'production',
  PUBLIC_URL: 'https://go.example',
  MANAGEMENT_TOKEN: 'a token of production',
  DATABASE_URL: 'postgresql://links@db.example/links',
  REDIS_URL: 'redis://cache.example',
  KAFKA_BROKERS: 'kafka.example:9092',
};

/** The variables that are named when this environment is refused. */
function refusedVariables(change: Record<string, string>): string[] {
  try {
    environment.parse({ ...production, ...change });
    return [];
  } catch (error) {
    if (!(error instanceof EnvironmentRefused)) throw error;
    return error.faults.map(({ variable }) => variable);
  }
}

it('development starts with an empty environment', () => {
  expect(environment.parse({}).GATEPOST_ENV).toBe('development');
});

describe('production', () => {
  it('starts with stores and secrets of its own', () => {
    expect(refusedVariables({})).toEqual([]);
  });

  it.each([
    ['demo data', { DEMO: 'true' }, 'DEMO'],
    ['the management token of development', { MANAGEMENT_TOKEN: '' }, 'MANAGEMENT_TOKEN'],
    ['an http issuer', { PUBLIC_URL: 'http://go.example' }, 'PUBLIC_URL'],
    ['the embedded database', { DATABASE_URL: '' }, 'DATABASE_URL'],
    ['a cache in process alone', { REDIS_URL: '' }, 'REDIS_URL'],
    ['clicks counted in process', { KAFKA_BROKERS: '' }, 'KAFKA_BROKERS'],
    ['private destinations', { ALLOW_PRIVATE_DESTINATIONS: 'true' }, 'ALLOW_PRIVATE_DESTINATIONS'],
  ])('refuses %s', (_what, change: Record<string, string>, variable) => {
    expect(refusedVariables(change)).toEqual([variable]);
  });
});

it.each([
  ['a number of proxies', { TRUSTED_PROXIES: '1' }, 'TRUSTED_PROXIES'],
  ['a code length outside the contract', { CODE_LENGTH: '5' }, 'CODE_LENGTH'],
])('%s is refused everywhere', (_what, change: Record<string, string>, variable) => {
  expect(refusedVariables({ GATEPOST_ENV: 'development', ...change })).toContain(variable);
});

it('shows its configuration with the secrets hidden', () => {
  const shown = JSON.stringify(environment.toPrintable(environment.parse(production)));
  expect(shown).not.toContain(production.MANAGEMENT_TOKEN);
  expect(shown).toContain('https://go.example');
});

it('is the table in the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(environment.toMarkdown());
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
