import { type LinkBody, linkPage } from '@gatepost/contracts';
import { askAsUser } from '../api-client.ts';
import { type Command, flagOption, textOption } from '../command.ts';
import { wrongUsage } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { plain, table } from '../terminal.ts';
import { ageOf } from '../time.ts';

const PAGE_SIZE = 100;
const DEFAULT_LIMIT = 25;

export const links: Command = {
  name: 'links',
  summary: 'List your links, newest first',
  usage: ['links [--search <text>] [--limit <n> | --all]'],
  about: '',
  options: {
    search: { type: 'string', short: 's' },
    limit: { type: 'string', short: 'n' },
    all: { type: 'boolean' },
  },
  optionHelp: {
    'search <text>': 'Only links whose code or long URL contains this',
    'limit <n>': `At most this many (default: ${DEFAULT_LIMIT})`,
    all: 'All of them',
  },
  async run({ arguments: [surplus], values }, context) {
    if (surplus !== undefined) throw wrongUsage('links takes no arguments; see --search.');
    const limit = flagOption(values, 'all')
      ? Number.POSITIVE_INFINITY
      : toLimit(textOption(values, 'limit'));
    const { items, hasMore } = await fetchLinks(context, limit, textOption(values, 'search'));
    const { terminal } = context;
    terminal.show(items, items.length === 0 ? 'No links.' : toTable(items, context));
    if (hasMore && !terminal.isJson)
      terminal.note(terminal.noteStyle.dim('There are more: --all.'));
  },
};

function toLimit(text = String(DEFAULT_LIMIT)): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw wrongUsage('--limit takes a number above 0.');
  return limit;
}

async function fetchLinks(context: Context, limit: number, search: string | undefined) {
  const items: LinkBody[] = [];
  let cursor: string | undefined;
  do {
    const size = Math.min(limit - items.length, PAGE_SIZE);
    const page = await askAsUser(context, {
      method: 'GET',
      path: '/links',
      query: { cursor, q: search, limit: String(size) },
      answer: linkPage,
    });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor && items.length < limit);
  return { items, hasMore: cursor !== undefined };
}

function toTable(items: readonly LinkBody[], { terminal, now }: Context): string {
  const { green, yellow, red, dim } = terminal.style;
  const styleOf = { active: green, expired: yellow, archived: dim, blocked: red };
  const rows = items.map((item) => [
    item.code,
    item.state,
    ageOf(item.createdAt, now()),
    item.trackClicks ? '' : 'untracked',
    plain(item.longUrl),
  ]);
  const isWide = rows.some((row) => row[3] !== '');
  const narrow = isWide ? rows : rows.map(([code, state, age, , url]) => [code, state, age, url]);
  const lines = table(narrow as string[][], terminal.isInteractive ? terminal.columns : 10_000);
  // Coloured afterwards: escape sequences would count as width.
  return lines
    .split('\n')
    .map((line, index) => {
      const { code, state } = items[index] as LinkBody;
      return line.slice(0, code.length) + line.slice(code.length).replace(state, styleOf[state]);
    })
    .join('\n');
}
