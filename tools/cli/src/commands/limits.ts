import { callerName, callerView, limitOverride, offender } from '@gatepost/contracts';
import { z } from 'zod';
import { type Command, textOption, type Values } from '../command.ts';
import { wrongUsage } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { askManagement, noArguments, pickAction, soleArgument } from '../management-client.ts';
import { plain, table } from '../terminal.ts';
import { toTimestamp } from '../time.ts';

const PATH = '/admin/limits';
const WINDOWS = ['second', 'minute', 'hour', 'day'] as const;

/** Shown as it comes; only what is printed in words is relied on. */
const inForce = z.looseObject({
  tiers: z.record(z.string(), z.record(z.string(), z.unknown())),
  rules: z.array(z.looseObject({ name: z.string() })).default([]),
  overrides: z.array(z.looseObject({ caller: z.string() })).default([]),
});
const offenders = z.object({ items: z.array(offender) });

export const limits: Command = {
  name: 'limits',
  summary: 'Limits at the gateway: what is in force, overrides, callers, offenders',
  usage: [
    'limits [show]',
    'limits caller <caller>',
    'limits override <caller> [--tier <tier>] [--minute <n> …] [--expires <when>]',
    'limits restore <caller>',
    'limits refill <caller>',
    'limits offenders',
  ],
  about: `A caller is key:<name>, user:<id>, client:<id> or address:<IP>. override changes what applies to one caller, until
restore; refill gives it full buckets now.`,
  options: {
    tier: { type: 'string' },
    second: { type: 'string' },
    minute: { type: 'string' },
    hour: { type: 'string' },
    day: { type: 'string' },
    expires: { type: 'string' },
  },
  optionHelp: {
    'tier <tier>': 'Treat the caller as one of this tier',
    'second <n>': 'Requests a second instead of the tier’s',
    'minute <n>': 'Requests a minute',
    'hour <n>': 'Requests an hour',
    'day <n>': 'Requests a day',
    'expires <when>': 'When the override ends: 12h, 7d, or a date',
  },
  async run({ arguments: words, values }, context) {
    const { action, rest } = pickAction(words, [
      'show',
      'caller',
      'override',
      'restore',
      'refill',
      'offenders',
    ]);
    switch (action) {
      case 'show':
        return show(rest, context);
      case 'offenders':
        return showOffenders(rest, context);
      case 'caller':
        return showCaller(toCaller(rest), context);
      case 'override':
        return override(toCaller(rest), values, context);
      case 'restore':
        return change(toCaller(rest), 'overrides', 'restored', context);
      case 'refill':
        return change(toCaller(rest), 'callers', 'refilled', context);
    }
  },
};

function toCaller(rest: readonly string[]): string {
  const caller = soleArgument(rest, 'caller');
  if (callerName.safeParse(caller).success) return caller;
  throw wrongUsage('A caller is key:<name>, user:<id>, client:<id> or address:<IP>.');
}

async function show(rest: readonly string[], context: Context): Promise<void> {
  noArguments(rest);
  const found = await askManagement(context, 'gateway', {
    method: 'GET',
    path: PATH,
    answer: inForce,
  });
  const { bold } = context.terminal.style;
  const tiers = Object.entries(found.tiers).map(([name, windows]) => [
    plain(name),
    ...WINDOWS.map((window) => describeLimit(windows[window])),
  ]);
  const heading = ['TIER', ...WINDOWS.map((window) => `PER ${window.toUpperCase()}`)];
  const blocks = [table([heading, ...tiers], 10_000)];
  if (found.rules.length > 0)
    blocks.push(`${bold('Rules')}  ${found.rules.map(({ name }) => plain(name)).join(', ')}`);
  if (found.overrides.length > 0)
    blocks.push(
      `${bold('Overrides')}  ${found.overrides.map(({ caller }) => plain(caller)).join(', ')}`,
    );
  context.terminal.show(found, blocks.join('\n\n'));
}

function describeLimit(limit: unknown): string {
  if (typeof limit !== 'object' || limit === null) return '–';
  const { limit: rate, burst } = limit as { limit?: number; burst?: number };
  return burst === undefined || burst === rate ? `${rate}` : `${rate} (burst ${burst})`;
}

async function showOffenders(rest: readonly string[], context: Context): Promise<void> {
  noArguments(rest);
  const { items } = await askManagement(context, 'gateway', {
    method: 'GET',
    path: `${PATH}/offenders`,
    answer: offenders,
  });
  const rows = items.map(({ label, kind, tier, rejected, lastRejectedAt }) => [
    plain(label),
    kind,
    plain(tier),
    String(rejected),
    lastRejectedAt,
  ]);
  const words =
    rows.length === 0
      ? 'Nobody was refused.'
      : table([['CALLER', 'KIND', 'TIER', 'REFUSED', 'LAST'], ...rows], 10_000);
  context.terminal.show(items, words);
}

async function showCaller(caller: string, context: Context): Promise<void> {
  const view = await askManagement(context, 'gateway', {
    method: 'GET',
    path: `${PATH}/callers/${encodeURIComponent(caller)}`,
    answer: callerView,
  });
  const { bold, dim, yellow } = context.terminal.style;
  const lines = [`${bold(plain(view.caller))}  tier ${plain(view.tier)}  ${dim(plain(view.hash))}`];
  if (view.listed) lines.push(yellow(`on the ${view.listed} list`));
  if (view.override) lines.push(yellow(`override: ${plain(JSON.stringify(view.override))}`));
  if (view.buckets)
    lines.push(
      table(
        view.buckets.map(({ rule, window, remaining, capacity, fullAt }) => [
          plain(rule || 'all requests'),
          `per ${window}`,
          `${remaining} of ${capacity} left`,
          `full ${new Date(fullAt * 1000).toLocaleTimeString()}`,
        ]),
        10_000,
      ),
    );
  else lines.push(dim('The store is away: how much is left is not known.'));
  context.terminal.show(view, lines.join('\n'));
}

async function override(caller: string, values: Values, context: Context): Promise<void> {
  const expires = textOption(values, 'expires');
  const tier = textOption(values, 'tier');
  const windows = WINDOWS.flatMap((window) => {
    const text = textOption(values, window);
    if (text === undefined) return [];
    if (!(Number(text) > 0)) throw wrongUsage(`--${window} takes a number above 0.`);
    return [[window, Number(text)] as const];
  });
  if (!tier && windows.length === 0)
    throw wrongUsage('Name a --tier, or limits like --minute 100.');
  const stored = await askManagement(context, 'gateway', {
    method: 'PUT',
    path: `${PATH}/overrides/${encodeURIComponent(caller)}`,
    body: {
      ...(tier ? { tier } : {}),
      ...(windows.length > 0 ? { limits: Object.fromEntries(windows) } : {}),
      ...(expires ? { expiresAt: toTimestamp(expires, '--expires', context.now()) } : {}),
    },
    answer: limitOverride,
  });
  context.terminal.show(stored, `${caller} has limits of its own now.`);
}

async function change(
  caller: string,
  what: 'overrides' | 'callers',
  done: string,
  context: Context,
): Promise<void> {
  const usage = what === 'callers' ? '/usage' : '';
  await askManagement(context, 'gateway', {
    method: 'DELETE',
    path: `${PATH}/${what}/${encodeURIComponent(caller)}${usage}`,
  });
  context.terminal.show({ caller, [done]: true }, `${caller} is ${done}.`);
}
