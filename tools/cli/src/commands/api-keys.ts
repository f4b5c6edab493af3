import { apiKey } from '@gatepost/contracts';
import { z } from 'zod';
import { type Command, textOption } from '../command.ts';
import { wrongUsage } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { askManagement, noArguments, pickAction, soleArgument } from '../management-client.ts';
import { plain, table } from '../terminal.ts';

const PATH = '/admin/keys';
const listed = z.object({ items: z.array(apiKey) });
const issued = apiKey.extend({ key: z.string() });

export const apiKeys: Command = {
  name: 'api-keys',
  summary: 'API keys at the gateway: list, create, revoke',
  usage: ['api-keys [list]', 'api-keys create <name> --tier <tier>', 'api-keys revoke <name>'],
  about: 'A key is shown once, when it is created; the gateway keeps its hash.',
  options: { tier: { type: 'string' } },
  optionHelp: { 'tier <tier>': 'The tier whose limits the key gets, e.g. free or paid' },
  async run({ arguments: words, values }, context) {
    const { action, rest } = pickAction(words, ['list', 'create', 'revoke']);
    if (action === 'list') return list(rest, context);
    const name = soleArgument(rest, 'key');
    if (action === 'revoke') return revoke(name, context);
    const tier = textOption(values, 'tier');
    if (!tier) throw wrongUsage('--tier is missing.', 'For example: --tier free');
    return create(name, tier, context);
  },
};

async function list(rest: readonly string[], context: Context): Promise<void> {
  noArguments(rest);
  const { items } = await askManagement(context, 'gateway', {
    method: 'GET',
    path: PATH,
    answer: listed,
  });
  const rows = items.map(({ name, tier, source, hint, createdAt }) => [
    plain(name),
    plain(tier),
    source,
    plain(hint ? `${hint}…` : ''),
    createdAt?.slice(0, 10) ?? '',
  ]);
  const words =
    rows.length === 0
      ? 'No API keys.'
      : table([['NAME', 'TIER', 'SOURCE', 'BEGINS', 'SINCE'], ...rows], 10_000);
  context.terminal.show(items, words);
}

async function create(name: string, tier: string, context: Context): Promise<void> {
  const made = await askManagement(context, 'gateway', {
    method: 'POST',
    path: PATH,
    body: { name, tier },
    answer: issued,
  });
  context.terminal.show(made, plain(made.key));
  const { dim } = context.terminal.noteStyle;
  context.terminal.note(dim(`Key "${made.name}", tier ${made.tier}. It is not shown again.`));
}

async function revoke(name: string, context: Context): Promise<void> {
  await askManagement(context, 'gateway', {
    method: 'DELETE',
    path: `${PATH}/${encodeURIComponent(name)}`,
  });
  context.terminal.show({ name, revoked: true }, `Key "${name}" is revoked.`);
}
