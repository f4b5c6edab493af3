import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly only: readonly string[] | undefined;
  readonly seconds: number;
  readonly rounds: number;
  /** File to write the figures to. */
  readonly json: string | undefined;
}

export class OptionRefused extends Error {}

export function readOptions(args: readonly string[], suites: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'string' },
    },
  });
  const only = values.only?.split(',');
  const unknown = only?.filter((name) => !suites.includes(name)) ?? [];
  if (unknown.length > 0)
    throw new OptionRefused(
      `There is no suite ${unknown.join(', ')}; there are ${suites.join(', ')}.`,
    );
  return {
    only,
    seconds: positive('--seconds', values.seconds),
    rounds: positive('--rounds', values.rounds),
    json: values.json,
  };
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && number <= 600))
    throw new OptionRefused(`${option} takes a number above 0 and up to 600, not "${text}".`);
  return number;
}
