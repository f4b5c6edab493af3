import type { LinkStats, StatsQuery, StatsShare } from '@gatepost/contracts';
import { invalidInput } from '../links/invalid-input.ts';
import { orStoreUnavailable } from '../links/store-outage.ts';
import type { Share, StatsRepository } from './stats.repository.ts';
import { fillSeries, type Point, resolveRange, touchedDays } from './stats-range.ts';
import { BREAKDOWN_KINDS, BREAKDOWNS, type BreakdownKind } from './tally.ts';

/** Answers what became of a link. Whose link it is, is the caller's to check. */
export class LinkStatistics {
  constructor(
    private readonly stats: StatsRepository,
    private readonly minuteRetentionDays: number,
  ) {}

  async read(code: string, query: StatsQuery, now: number): Promise<LinkStats> {
    const range = resolveRange(query, { now, minuteRetentionDays: this.minuteRetentionDays });
    if ('fault' in range) throw invalidInput([{ path: [range.member], message: range.fault }]);
    const days = touchedDays(range);
    const [points, uniques, shares] = await orStoreUnavailable(() =>
      Promise.all([
        this.stats.findPoints(code, range),
        this.stats.countUniques(code, days),
        this.stats.findShares(code, days),
      ]),
    );
    return {
      from: toTimestamp(range.from),
      to: toTimestamp(range.to),
      interval: range.interval,
      ...sum(points),
      uniques,
      series: fillSeries(range, points).map(({ time, humans, bots }) => ({
        time: toTimestamp(time),
        ...toCounts({ humans, bots }),
      })),
      ...toBreakdowns(shares),
    };
  }
}

type Breakdowns = Record<(typeof BREAKDOWNS)[BreakdownKind], StatsShare[]>;

function toBreakdowns(shares: readonly Share[]): Breakdowns {
  const breakdowns = Object.fromEntries(
    BREAKDOWN_KINDS.map((kind) => [BREAKDOWNS[kind], []]),
  ) as unknown as Breakdowns;
  for (const { kind, name, humans, bots } of shares)
    breakdowns[BREAKDOWNS[kind]].push({
      name: name === '' ? null : name,
      ...toCounts({ humans, bots }),
    });
  return breakdowns;
}

function sum(points: readonly Point[]) {
  const humans = points.reduce((total, point) => total + point.humans, 0);
  const bots = points.reduce((total, point) => total + point.bots, 0);
  return toCounts({ humans, bots });
}

function toCounts({ humans, bots }: { humans: number; bots: number }) {
  return { total: humans + bots, humans, bots };
}

function toTimestamp(time: number): string {
  return new Date(time).toISOString();
}
