import { readFileSync } from 'node:fs';
import { z } from 'zod';

export interface EnvironmentFault {
  readonly variable: string;
  readonly fault: string;
}

/** All that is wrong with an environment, found in one go. Exit code 78 (EX_CONFIG). */
export class EnvironmentRefused extends Error {
  readonly exitCode = 78;

  constructor(readonly faults: readonly EnvironmentFault[]) {
    super(faults.map(({ variable, fault }) => `${variable}: ${fault}`).join('\n'));
    this.name = 'EnvironmentRefused';
  }
}

interface VariableMeta {
  readonly description: string;
  readonly secret?: boolean;
}

/** A variable's schema with what the README table says of it. Secrets are hidden when printed and may come from a file. */
export function variable<T extends z.ZodType>(
  schema: T,
  description: string,
  options: { secret?: boolean } = {},
): T {
  return schema.meta({ description, secret: options.secret ?? false });
}

/** `true` or `false`, nothing else: a typo must not turn into a default. */
export function flag(initially: boolean) {
  return z
    .enum(['true', 'false'])
    .default(initially ? 'true' : 'false')
    .transform((text) => text === 'true');
}

/** A whole number within bounds. */
export function whole(bounds: { min: number; max: number; initially: number }) {
  return z.coerce.number().int().min(bounds.min).max(bounds.max).default(bounds.initially);
}

/** A TCP port; 0 asks the system for a free one. */
export function port(initially: number) {
  return whole({ min: 0, max: 65_535, initially });
}

/** A comma-separated list. */
export function list(initially: readonly string[] = []) {
  return z
    .string()
    .default(initially.join(','))
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    );
}

/** An absolute http(s) address without query, fragment or trailing slash. */
export function httpAddress() {
  return z
    .string()
    .refine(
      (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
      'must be an http or https address',
    )
    .refine((text) => !/[?#]/.test(text), 'must have neither query nor fragment')
    .transform((text) => text.replace(/\/+$/, ''));
}

export interface Environment<T> {
  /** Parses; throws EnvironmentRefused with every fault. An empty variable counts as absent. */
  parse(source: Readonly<Record<string, string | undefined>>): T;
  /** The README table. */
  toMarkdown(): string;
  /** The parsed values with secrets hidden, for `--print-config`. */
  toPrintable(values: T): Record<string, unknown>;
}

/**
 * The environment of one app: its shape, and the refusals that need several variables at once (production rules).
 * Every variable `NAME` may be given as `NAME_FILE`, the path of a file that holds the value.
 */
export function defineEnvironment<S extends z.ZodRawShape>(
  shape: S,
  refusals: (values: z.output<z.ZodObject<S>>) => EnvironmentFault[] = () => [],
): Environment<z.output<z.ZodObject<S>>> {
  const schema = z.object(shape);
  const names = Object.keys(shape);
  return {
    parse(source) {
      const { raw, faults } = readVariables(names, source);
      const parsed = schema.safeParse(raw);
      if (!parsed.success) {
        for (const issue of parsed.error.issues) {
          const name = String(issue.path[0]);
          const absent = raw[name] === undefined;
          faults.push({ variable: name, fault: absent ? 'is missing' : lowerFirst(issue.message) });
        }
      }
      if (faults.length > 0 || !parsed.success) throw new EnvironmentRefused(faults);
      const refused = refusals(parsed.data);
      if (refused.length > 0) throw new EnvironmentRefused(refused);
      return parsed.data;
    },
    toMarkdown: () => toMarkdown(shape),
    toPrintable: (values) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          isSecret(shape, name) && value !== undefined ? '(hidden)' : value,
        ]),
      ),
  };
}

function readVariables(names: string[], source: Readonly<Record<string, string | undefined>>) {
  const raw: Record<string, string | undefined> = {};
  const faults: EnvironmentFault[] = [];
  for (const name of names) {
    const file = source[`${name}_FILE`];
    const value = source[name];
    if (file && value)
      faults.push({ variable: name, fault: `is given twice, as ${name} and as ${name}_FILE` });
    else if (file) {
      try {
        raw[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      } catch (error) {
        faults.push({
          variable: `${name}_FILE`,
          fault: `cannot be read (${(error as NodeJS.ErrnoException).code})`,
        });
      }
    } else if (value !== undefined && value !== '') raw[name] = value;
  }
  return { raw, faults };
}

function metaOf(shape: z.ZodRawShape, name: string): VariableMeta {
  return ((shape[name] as z.ZodType).meta() ?? { description: '' }) as unknown as VariableMeta;
}

function isSecret(shape: z.ZodRawShape, name: string): boolean {
  return name in shape && metaOf(shape, name).secret === true;
}

function toMarkdown(shape: z.ZodRawShape): string {
  const rows = Object.keys(shape).map((name) => {
    const { description, secret } = metaOf(shape, name);
    return `| \`${name}\` | ${defaultOf(shape[name] as z.ZodType, secret)} | ${description} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** What an absent variable turns into, as a table shows it. */
function defaultOf(schema: z.ZodType, secret: boolean | undefined): string {
  const absent = schema.safeParse(undefined);
  const text = absent.success && absent.data !== undefined ? String(absent.data) : '';
  if (text === '') return '–';
  return secret ? '(for development)' : `\`${text}\``;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
