import type { ParseArgsConfig } from 'node:util';
import type { Context } from './context.ts';

export type Options = NonNullable<ParseArgsConfig['options']>;
export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export interface Invocation {
  readonly arguments: readonly string[];
  readonly values: Values;
}

/** One word of the command line, in one file. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What follows "gatepost", one line a form. */
  readonly usage: readonly string[];
  /** Lines of explanation; options are listed from `options` and `optionHelp`. */
  readonly about: string;
  readonly options: Options;
  readonly optionHelp: Readonly<Record<string, string>>;
  readonly run: (invocation: Invocation, context: Context) => Promise<void>;
}

export function textOption(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An option that may be repeated; undefined when it was not given. */
export function listOption(values: Values, name: string): string[] | undefined {
  const value = values[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

export function flagOption(values: Values, name: string): boolean {
  return values[name] === true;
}
