import type { StatsInterval, StatsQuery } from '@gatepost/contracts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const INTERVAL_MS: Readonly<Record<StatsInterval, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
};

/** What an absent `from` means. */
const USUAL_MS: Readonly<Record<StatsInterval, number>> = {
  minute: HOUR_MS,
  hour: DAY_MS,
  day: 30 * DAY_MS,
};

/** Nearly three days of minutes, 166 days of hours, eleven years of days. */
export const MAX_POINTS = 4_000;

/** What is answered, all in milliseconds and rounded outwards: `to` is not part of it. */
export interface StatsRange {
  readonly interval: StatsInterval;
  readonly from: number;
  readonly to: number;
}

/** A range that cannot be answered; `member` is the one to change. */
export interface RangeFault {
  readonly member: 'from' | 'to';
  readonly fault: string;
}

export function resolveRange(
  query: StatsQuery,
  context: { now: number; minuteRetentionDays: number },
): StatsRange | RangeFault {
  const { interval } = query;
  const width = INTERVAL_MS[interval];
  const { now, minuteRetentionDays } = context;
  const wantedTo = query.to === undefined ? now : Date.parse(query.to);
  // At least one point: a range that ends where an interval begins would have none of the interval's clicks.
  const to = query.to === undefined ? floor(wantedTo, width) + width : ceil(wantedTo, width);
  const from =
    query.from === undefined ? to - USUAL_MS[interval] : floor(Date.parse(query.from), width);
  if (from >= to) return { member: 'from', fault: 'must be before `to`' };
  if ((to - from) / width > MAX_POINTS)
    return {
      member: 'from',
      fault: `makes more than ${MAX_POINTS} points: choose a wider interval`,
    };
  const firstMinute = floor(now, DAY_MS) - minuteRetentionDays * DAY_MS;
  if (interval === 'minute' && from < firstMinute)
    return {
      member: 'from',
      fault: `is too long ago: minutes are kept for ${minuteRetentionDays} days`,
    };
  return { interval, from, to };
}

function floor(time: number, width: number): number {
  return Math.floor(time / width) * width;
}

function ceil(time: number, width: number): number {
  return Math.ceil(time / width) * width;
}

/** The whole UTC days that a range touches, and the whole months among them: days since 1970, ends not included. */
export interface TouchedDays {
  readonly from: number;
  readonly to: number;
  /** Equal bounds: no whole month. */
  readonly monthsFrom: number;
  readonly monthsTo: number;
}

export function touchedDays({ from, to }: Pick<StatsRange, 'from' | 'to'>): TouchedDays {
  const first = Math.floor(from / DAY_MS);
  const end = Math.ceil(to / DAY_MS);
  const monthsFrom = monthStart(first * DAY_MS, isMonthStart(first) ? 0 : 1);
  const monthsTo = monthStart(end * DAY_MS, 0);
  return monthsFrom < monthsTo
    ? { from: first, to: end, monthsFrom, monthsTo }
    : { from: first, to: end, monthsFrom: first, monthsTo: first };
}

function isMonthStart(day: number): boolean {
  return new Date(day * DAY_MS).getUTCDate() === 1;
}

/** First day of the month of a time, or of a month after it. */
function monthStart(time: number, monthsLater: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1) / DAY_MS;
}

export interface Point {
  readonly time: number;
  readonly humans: number;
  readonly bots: number;
}

/** A point an interval, also where nothing happened. */
export function fillSeries({ interval, from, to }: StatsRange, points: readonly Point[]): Point[] {
  const width = INTERVAL_MS[interval];
  const byTime = new Map(points.map((point) => [point.time, point]));
  return Array.from({ length: (to - from) / width }, (_, index) => {
    const time = from + index * width;
    return byTime.get(time) ?? { time, humans: 0, bots: 0 };
  });
}
