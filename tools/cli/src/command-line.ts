import { parseArgs } from 'node:util';
import type { Command, Invocation } from './command.ts';
import { type Options, textOption } from './command.ts';
import { wrongUsage } from './command-failed.ts';

/** What every command takes. */
const GLOBAL_OPTIONS = {
  'base-url': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const satisfies Options;

export interface CommandLine {
  readonly commandName: string | undefined;
  readonly wantsHelp: boolean;
  readonly wantsVersion: boolean;
  readonly json: boolean;
  readonly baseUrl: string | undefined;
  /** The words that are left for the command. */
  readonly rest: readonly string[];
}

/** Finds the command and the global options, wherever among the words they stand. */
export function readCommandLine(words: readonly string[]): CommandLine {
  const { tokens, values } = parseArgs({
    args: [...words],
    options: GLOBAL_OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const first = tokens.find(({ kind }) => kind === 'positional');
  const rest = words.filter((_, index) => index !== first?.index);
  const name = first?.kind === 'positional' ? first.value : undefined;
  return {
    commandName: name === 'help' ? (rest.find((word) => !word.startsWith('-')) ?? undefined) : name,
    wantsHelp: name === 'help' || name === undefined || values['help'] === true,
    wantsVersion: values['version'] === true,
    json: values['json'] === true,
    baseUrl: textOption(values, 'base-url'),
    rest,
  };
}

/** The command's own arguments and options; anything it does not know is refused. */
export function readInvocation(command: Command, rest: readonly string[]): Invocation {
  try {
    const { positionals, values } = parseArgs({
      args: [...rest],
      options: { ...GLOBAL_OPTIONS, ...command.options },
      strict: true,
      allowPositionals: true,
    });
    return { arguments: positionals, values };
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ');
    throw wrongUsage(`${sentence}.`, `See "gatepost help ${command.name}".`);
  }
}

/** The command that a mistyped name was probably meant to be. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const near = names
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return near && near.distance <= 2 ? near.candidate : undefined;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(
        Math.min(substituted, (previous[j] as number) + 1, (current[j - 1] as number) + 1),
      );
    }
    previous = current;
  }
  return previous[b.length] as number;
}
