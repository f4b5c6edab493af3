import type { Command } from './command.ts';
import { type Styles, table } from './terminal.ts';

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

export function overallHelp(groups: readonly CommandGroup[], { bold, dim }: Styles): string {
  const width = Math.max(
    ...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length)),
  );
  const list = groups
    .map(({ title, commands }) =>
      [
        bold(title),
        ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
      ].join('\n'),
    )
    .join('\n\n');
  return `${bold('gatepost')} – short links and accounts from the command line

${bold('Usage')}
  gatepost <command> [options]

${list}

${bold('Options of every command')}
${table(
  [
    [
      '  --base-url <url>',
      'The address of the platform (default: GATEPOST_URL, else http://localhost:8080)',
    ],
    ['  --json', 'Print the result as JSON'],
    ['  -h, --help', 'Explain a command'],
    ['  --version', 'Print the version'],
  ],
  Number.POSITIVE_INFINITY,
)}

${bold('Environment')}
${table(
  [
    ['  GATEPOST_URL', 'The address of the platform'],
    ['  GATEPOST_CONFIG_DIR', 'Where the sign-in is kept'],
    ['  MANAGEMENT_TOKEN', 'For operators: the token of the management doors'],
    [
      '  GATEPOST_…_MANAGEMENT_URL',
      'Their addresses: GATEWAY, AUTH, SHORTENER (default: 127.0.0.1:9080, 9081, 9082)',
    ],
    ['  GATEPOST_ALLOW_HTTP', 'true: speak plain http with other machines too'],
    ['  NO_COLOR', 'No colours'],
  ],
  Number.POSITIVE_INFINITY,
)}

${bold('Exit codes')}
${dim('  0 done · 1 failed · 2 wrong usage · 3 sign-in needed · 4 refused by the server · 5 server unavailable, try again')}`;
}

export function commandHelp(command: Command, { bold }: Styles): string {
  const blocks = [
    command.summary,
    `${bold('Usage')}\n${command.usage.map((form) => `  gatepost ${form}`).join('\n')}`,
  ];
  if (command.about !== '') blocks.push(command.about);
  const options = Object.entries(command.optionHelp);
  if (options.length > 0) {
    const rows = options.map(([option, meaning]) => [`  --${option}`, meaning]);
    blocks.push(`${bold('Options')}\n${table(rows, Number.POSITIVE_INFINITY)}`);
  }
  return blocks.join('\n\n');
}
