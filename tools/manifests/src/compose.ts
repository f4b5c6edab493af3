import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

/** A service of docker-compose.yml as far as the tests look into it. */
export interface ComposeService {
  readonly image: string;
  readonly build?: unknown;
  readonly pull_policy?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

/** A variable that the file reads, with what it is when nobody sets it. */
export interface ComposeVariable {
  readonly name: string;
  readonly initially: string;
}

const VARIABLE = /(?<!\$)\$\{(\w+)(?::-([^}]*))?\}/g;

export function composeText(): string {
  return readFileSync(join(WORKSPACE, 'docker-compose.yml'), 'utf8');
}

export function variablesOf(text: string): ComposeVariable[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '', initially = '']) => ({ name, initially }));
}

/** The services with their variables put in: the given value, else the default. */
export function readServices(
  values: Readonly<Record<string, string>> = {},
): Record<string, ComposeService> {
  // As compose does it: first the YAML, then the variables in its texts, so that an empty one stays a text.
  const put = (_key: unknown, value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(VARIABLE, (_all, name, initially = '') => values[name] || initially)
      : value;
  return parse(composeText(), put, { merge: true }).services;
}

/** `.env.example`: what it sets. */
export function readEnvExample(): Record<string, string> {
  const lines = readFileSync(join(WORKSPACE, '.env.example'), 'utf8').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return name ? [[name, value]] : [];
    }),
  );
}
