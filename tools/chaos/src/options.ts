import { parseArgs } from 'node:util';

export interface ChaosOptions {
  /** Names of the scenarios to run; undefined: all. */
  readonly only: readonly string[] | undefined;
  /** Show what there is and run nothing. */
  readonly list: boolean;
  /** File to write the verdicts to. */
  readonly json: string | undefined;
  /** How long Kafka stays away in kafka-away, seconds. */
  readonly kafkaAwaySeconds: number;
}

export class OptionRefused extends Error {}

export function readOptions(args: readonly string[], scenarios: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      list: { type: 'boolean', default: false },
      json: { type: 'string' },
      'kafka-away': { type: 'string', default: '60' },
    },
  });
  const only = values.only?.split(',').map((name) => name.trim());
  const unknown = only?.filter((name) => !scenarios.includes(name)) ?? [];
  if (unknown.length > 0)
    throw new OptionRefused(
      `There is no scenario ${unknown.join(', ')}; there are ${scenarios.join(', ')}.`,
    );
  const kafkaAwaySeconds = Number(values['kafka-away']);
  if (!(kafkaAwaySeconds >= 5 && kafkaAwaySeconds <= 600))
    throw new OptionRefused(
      `--kafka-away takes seconds from 5 to 600, not "${values['kafka-away']}".`,
    );
  return { only, list: values.list, json: values.json, kafkaAwaySeconds };
}
