import type { AgentTraits } from './user-agent.ts';

/** The kinds of breakdown, by the letter they are stored under. */
export const BREAKDOWNS = {
  r: 'referrers',
  b: 'browsers',
  s: 'systems',
  d: 'devices',
  c: 'countries',
} as const;
export type BreakdownKind = keyof typeof BREAKDOWNS;

export const BREAKDOWN_KINDS = Object.keys(BREAKDOWNS) as BreakdownKind[];
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A click as the counts see it. */
export interface DescribedClick {
  readonly code: string;
  /** Milliseconds. */
  readonly time: number;
  readonly agent: AgentTraits;
  /** Host; empty: none. */
  readonly referrer: string;
  /** ISO 3166-1 alpha-2; empty: unknown. */
  readonly country: string;
}

export interface Count {
  humans: number;
  bots: number;
}

/** What a batch adds to one link on one day (UTC). */
export interface LinkDayTally extends Count {
  readonly code: string;
  /** Days since 1970. */
  readonly day: number;
  /** By minutes since 1970. */
  readonly minutes: ReadonlyMap<number, Count>;
  readonly breakdowns: Readonly<Record<BreakdownKind, ReadonlyMap<string, Count>>>;
}

interface OpenTally extends LinkDayTally {
  readonly minutes: Map<number, Count>;
  readonly breakdowns: Record<BreakdownKind, Map<string, Count>>;
}

/**
 * Adds clicks up, per link and day, in the order of codes: transactions that touch the same counts take them in one order
 * and cannot lock each other out, and neighbours in the index are written together.
 */
export function tallyClicks(clicks: readonly DescribedClick[]): LinkDayTally[] {
  const tallies = new Map<string, OpenTally[]>();
  for (const click of clicks) addClick(openTally(tallies, click), click);
  return [...tallies.keys()]
    .sort(compareCodes)
    .flatMap((code) => (tallies.get(code) ?? []).sort((a, b) => a.day - b.day));
}

function openTally(tallies: Map<string, OpenTally[]>, { code, time }: DescribedClick): OpenTally {
  const day = Math.floor(time / DAY_MS);
  let days = tallies.get(code);
  if (days === undefined) {
    days = [];
    tallies.set(code, days);
  }
  let tally = days.find((candidate) => candidate.day === day);
  if (tally === undefined) {
    const breakdowns = { r: new Map(), b: new Map(), s: new Map(), d: new Map(), c: new Map() };
    tally = { code, day, humans: 0, bots: 0, minutes: new Map(), breakdowns };
    days.push(tally);
  }
  return tally;
}

function addClick(tally: OpenTally, { time, agent, referrer, country }: DescribedClick): void {
  const { isBot } = agent;
  const { r, b, s, d, c } = tally.breakdowns;
  if (isBot) tally.bots += 1;
  else tally.humans += 1;
  add(tally.minutes, Math.floor(time / MINUTE_MS), isBot);
  add(r, referrer, isBot);
  add(b, agent.browser, isBot);
  add(s, agent.system, isBot);
  add(d, agent.device, isBot);
  add(c, country, isBot);
}

function add<K>(counts: Map<K, Count>, key: K, isBot: boolean): void {
  const count = counts.get(key);
  if (count === undefined) counts.set(key, isBot ? { humans: 0, bots: 1 } : { humans: 1, bots: 0 });
  else if (isBot) count.bots += 1;
  else count.humans += 1;
}

/** Byte order, which is the database's (COLLATE "C"). */
function compareCodes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Minutes added up to hours: hours since 1970 and their counts, in order. */
export function toHours(minutes: ReadonlyMap<number, Count>): Map<number, Count> {
  const hours = new Map<number, Count>();
  for (const [minute, { humans, bots }] of minutes) {
    const hour = Math.floor((minute * MINUTE_MS) / HOUR_MS);
    const count = hours.get(hour);
    if (count === undefined) hours.set(hour, { humans, bots });
    else {
      count.humans += humans;
      count.bots += bots;
    }
  }
  return hours;
}
