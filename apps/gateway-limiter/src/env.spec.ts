import { readFileSync } from 'node:fs';
import { EnvironmentRefused } from '@gatepost/service-kit';
import { environment, tokenExpectations } from './env.ts';

const production = {
  GATEPOST_ENV: 'production',
  PUBLIC_URL: 'https://go.example',
  MANAGEMENT_TOKEN: 'a token of production',
  REDIS_URL: 'redis://limits.example',
  LIMITER_SECRET: 'a limiter secret of production',
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
    ['buckets in process', { REDIS_URL: '' }, 'REDIS_URL'],
    ['the limiter secret of development', { LIMITER_SECRET: '' }, 'LIMITER_SECRET'],
  ])('refuses %s', (_what, change: Record<string, string>, variable) => {
    expect(refusedVariables(change)).toEqual([variable]);
  });
});

it.each([
  ['a number of proxies', { TRUSTED_PROXIES: '1' }, 'TRUSTED_PROXIES'],
  ['to trust everybody', { TRUSTED_PROXIES: '0.0.0.0/0' }, 'TRUSTED_PROXIES'],
  [
    'several workers without a shared store',
    { GATEPOST_ENV: 'development', REDIS_URL: '', WORKERS: '2' },
    'WORKERS',
  ],
  ['a certificate without its key', { TLS_CERT: 'certificate' }, 'TLS_KEY'],
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

it('takes a token for its user only with a status, in production', () => {
  expect(tokenExpectations(environment.parse(production)).requireStatus).toBe(true);
  expect(tokenExpectations(environment.parse({})).requireStatus).toBe(false);
});
