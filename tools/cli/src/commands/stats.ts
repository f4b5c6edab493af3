import { type LinkStats, linkStats, type StatsShare, statsInterval } from '@gatepost/contracts';
import { askAsUser } from '../api-client.ts';
import { type Command, textOption } from '../command.ts';
import { wrongUsage } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { plain, type Styles, table } from '../terminal.ts';
import { toTimestamp } from '../time.ts';

const BAR_WIDTH = 32;
const SHARES_SHOWN = 5;

export const stats: Command = {
  name: 'stats',
  summary: 'Show the clicks of a link',
  usage: ['stats <code> [--from <when>] [--to <when>] [--interval minute|hour|day]'],
  about: 'Takes a code or a short URL. Bots are counted apart.',
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    interval: { type: 'string' },
  },
  optionHelp: {
    'from <when>':
      'Begin: 2026-11-01T00:00:00Z (default: 30 days ago, or less with shorter intervals)',
    'to <when>': 'End (default: now)',
    'interval <width>': 'minute, hour or day (default: day)',
  },
  async run({ arguments: [link, ...more], values }, context) {
    if (!link || more.length > 0) throw wrongUsage('stats takes one code.');
    const code = toCode(link);
    const interval = textOption(values, 'interval');
    if (interval && !statsInterval.safeParse(interval).success)
      throw wrongUsage('--interval is minute, hour or day.');
    const answer = await askAsUser(context, {
      method: 'GET',
      path: `/links/${encodeURIComponent(code)}/stats`,
      query: { from: time(values, 'from', context), to: time(values, 'to', context), interval },
      answer: linkStats,
    });
    context.terminal.show(answer, describe(answer, context.terminal.style));
  },
};

function time(values: Parameters<typeof textOption>[0], name: string, context: Context) {
  const text = textOption(values, name);
  return text && toTimestamp(text, `--${name}`, context.now());
}

/** The last segment of a short URL, or the code itself. */
function toCode(link: string): string {
  if (!/^https?:\/\//i.test(link)) return link;
  return URL.canParse(link) ? (new URL(link).pathname.split('/').at(-1) ?? '') : link;
}

function describe(stats: LinkStats, style: Styles): string {
  const { bold, dim } = style;
  const head = `${bold(String(stats.humans))} clicks by people, ${stats.uniques} unique · ${dim(`${stats.bots} by bots, ${stats.total} in all`)}`;
  const range = dim(`${stats.from.slice(0, 16)} – ${stats.to.slice(0, 16)} UTC`);
  const blocks = [`${head}\n${range}`, chart(stats, style)];
  for (const [title, shares] of [
    ['Referrers', stats.referrers],
    ['Browsers', stats.browsers],
    ['Systems', stats.systems],
    ['Devices', stats.devices],
    ['Countries', stats.countries],
  ] as const) {
    const people = shares.filter(({ humans }) => humans > 0);
    if (people.length > 0) blocks.push(`${bold(title)}\n${breakdown(people, title)}`);
  }
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** A bar a point, from the first point that has clicks on. */
function chart({ series, interval }: LinkStats, { cyan, dim }: Styles): string {
  const first = series.findIndex(({ total }) => total > 0);
  if (first < 0) return '';
  const points = series.slice(first);
  const most = Math.max(...points.map(({ total }) => total));
  return points
    .map(({ time, humans, total }) => {
      const label = interval === 'day' ? time.slice(0, 10) : time.slice(0, 16).replace('T', ' ');
      const human = Math.round((humans / most) * BAR_WIDTH);
      const bot = Math.round((total / most) * BAR_WIDTH) - human;
      return `${dim(label)}  ${cyan('█'.repeat(human))}${dim('░'.repeat(Math.max(bot, 0)))} ${humans}`;
    })
    .join('\n');
}

function breakdown(shares: readonly StatsShare[], title: string): string {
  const unknown = title === 'Referrers' ? '(direct)' : '(unknown)';
  const rows = shares
    .slice(0, SHARES_SHOWN)
    .map(({ name, humans }) => ['', plain(name ?? unknown), String(humans)]);
  return table(rows, Number.POSITIVE_INFINITY);
}
