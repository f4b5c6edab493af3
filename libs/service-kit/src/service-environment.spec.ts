import { defineEnvironment, type EnvironmentRefused } from './environment.ts';
import { serviceEnvironment, serviceRefusals } from './service-environment.ts';

const environment = defineEnvironment(
  serviceEnvironment({ port: 1, managementPort: 2 }),
  serviceRefusals,
);

const production = {
  GATEPOST_ENV: 'production',
  PUBLIC_URL: 'https://go.example',
  MANAGEMENT_TOKEN: 'a token of production',
};

describe('production', () => {
  it('starts with an https address and a token of its own', () => {
    expect(environment.parse(production).GATEPOST_ENV).toBe('production');
  });

  it.each([
    ['demo data', { DEMO: 'true' }, 'DEMO'],
    ['the management token of development', { MANAGEMENT_TOKEN: '' }, 'MANAGEMENT_TOKEN'],
    ['an http address', { PUBLIC_URL: 'http://go.example' }, 'PUBLIC_URL'],
  ])('refuses %s', (_what, change, variable) => {
    try {
      environment.parse({ ...production, ...change });
      throw new Error('was accepted');
    } catch (error) {
      expect((error as EnvironmentRefused).faults.map((fault) => fault.variable)).toEqual([
        variable,
      ]);
    }
  });
});

it('development starts with an empty environment', () => {
  expect(environment.parse({})).toMatchObject({
    GATEPOST_ENV: 'development',
    DEMO: false,
    HOST: '127.0.0.1',
  });
});
