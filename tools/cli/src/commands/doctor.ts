import type { Command } from '../command.ts';
import { CommandFailed, wrongUsage } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { lookAtAuthorizationServer } from '../doctor/authorization-server.ts';
import type { Finding } from '../doctor/finding.ts';
import { lookAtForwardedFor, lookAtGateway } from '../doctor/gateway.ts';
import { lookAtManagementDoors } from '../doctor/management-doors.ts';
import { lookAtSigningKeys } from '../doctor/signing-keys.ts';
import { lookAtThisMachine } from '../doctor/this-machine.ts';
import { plain, type Styles } from '../terminal.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Look for what is wrong, and say how to cure it',
  usage: ['doctor'],
  about: `Looks at this machine, the gateway, the authorization server, clocks, proxy headers and keys. Changes nothing. Ends with
1 when something is broken.`,
  options: {},
  optionHelp: {},
  async run({ arguments: [surplus] }, context) {
    if (surplus !== undefined) throw wrongUsage('doctor takes no arguments.');
    const findings = await examine(context);
    const { terminal } = context;
    terminal.show(
      findings,
      findings.map((finding) => describe(finding, terminal.style)).join('\n'),
    );
    const faults = findings.filter(({ state }) => state === 'fault').length;
    if (faults > 0)
      throw new CommandFailed(
        faults === 1 ? 'One thing is broken.' : `${faults} things are broken.`,
      );
  },
};

async function examine(context: Context): Promise<Finding[]> {
  const here = await lookAtThisMachine(context, process.version);
  const { answers, findings } = await lookAtGateway(context);
  const there = answers
    ? [
        ...findings,
        ...(await lookAtForwardedFor(context)),
        ...(await lookAtAuthorizationServer(context)),
      ]
    : findings;
  return [
    ...here,
    ...there,
    ...(await lookAtManagementDoors(context)),
    ...(await lookAtSigningKeys(context)),
  ];
}

function describe({ state, about, sentence, cure }: Finding, style: Styles): string {
  const mark = {
    good: style.green('✓'),
    note: style.dim('·'),
    warning: style.yellow('!'),
    fault: style.red('✗'),
  }[state];
  const line = `${mark} ${about.padEnd(18)} ${plain(sentence)}`;
  return cure ? `${line}\n${' '.repeat(21)}${style.dim(`→ ${plain(cure)}`)}` : line;
}
