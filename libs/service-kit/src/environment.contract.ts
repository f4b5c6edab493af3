import { readFileSync } from 'node:fs';
import { type Environment, EnvironmentRefused } from './environment.ts';
import type { ServiceEnv } from './service-environment.ts';

type Variables = Readonly<Record<string, string>>;

export interface EnvironmentContract {
  readonly environment: Environment<ServiceEnv>;
  /** An environment in which production starts, beside what every service needs there. */
  readonly production: Variables;
  /** What production refuses of this service alone: why, the change, the variable that is named. */
  readonly refusedInProduction: readonly (readonly [string, Variables, string])[];
  /** What is refused in development too. */
  readonly refusedEverywhere: readonly (readonly [string, Variables, string])[];
  readonly readme: URL;
}

const COMMON: Variables = {
  GATEPOST_ENV: 'production',
  PUBLIC_URL: 'https://go.example',
  MANAGEMENT_TOKEN: 'a token of production',
};

/** What holds for the environment of every service: the production refusals, hidden secrets, a true table in the README. */
export function environmentContract(contract: EnvironmentContract): {
  production: Variables;
  refusedVariables: (change: Variables) => string[];
} {
  const { environment } = contract;
  const production = { ...COMMON, ...contract.production };

  /** The variables that are named when this environment is refused. */
  function refusedVariables(change: Variables): string[] {
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
      ['demo data', { DEMO: 'true' }, 'DEMO'] as const,
      [
        'the management token of development',
        { MANAGEMENT_TOKEN: '' },
        'MANAGEMENT_TOKEN',
      ] as const,
      ['an http issuer', { PUBLIC_URL: 'http://go.example' }, 'PUBLIC_URL'] as const,
      ...contract.refusedInProduction,
    ])('refuses %s', (_what, change: Variables, variable) => {
      expect(refusedVariables(change)).toEqual([variable]);
    });
  });

  it.each(contract.refusedEverywhere)('%s is refused everywhere', (_what, change, variable) => {
    expect(refusedVariables({ GATEPOST_ENV: 'development', ...change })).toContain(variable);
  });

  it('shows its configuration with the secrets hidden', () => {
    const shown = JSON.stringify(environment.toPrintable(environment.parse(production)));
    expect(shown).not.toContain(production['MANAGEMENT_TOKEN']);
    expect(shown).toContain('https://go.example');
  });

  it('is the table in the README', () => {
    expect(readFileSync(contract.readme, 'utf8')).toContain(environment.toMarkdown());
  });

  return { production, refusedVariables };
}
