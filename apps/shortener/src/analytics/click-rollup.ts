import { LRUCache } from 'lru-cache';
import type { CountryOf } from './country.ts';
import type { IncomingClick } from './incoming-click.ts';
import type { PartitionRepository } from './partition.repository.ts';
import { keptFrom, type Partition, type PartitionedTable, partitionAt } from './partitions.ts';
import { referrerHost } from './referrer.ts';
import type { PositionStep, RawRow, RollupRepository, Visit } from './rollup.repository.ts';
import type { SaltRepository } from './salt.repository.ts';
import { type DescribedClick, tallyClicks } from './tally.ts';
import type { DescribeAgent } from './user-agent.ts';
import { type IpMode, storedAddress, visitorOf } from './visitor.ts';

export interface RollupSettings {
  readonly ipMode: IpMode;
  /** 0: single clicks are not kept. */
  readonly rawRetentionDays: number;
  readonly minuteRetentionDays: number;
  readonly countsUniques: boolean;
  readonly refusesDuplicates: boolean;
}

export interface RollupParts {
  readonly rollups: RollupRepository;
  readonly partitions: PartitionRepository;
  readonly salts: SaltRepository;
  readonly describeAgent: DescribeAgent;
  readonly countryOf: CountryOf;
  readonly settings: RollupSettings;
  readonly now?: () => number;
}

export interface Counted {
  readonly counted: number;
  readonly duplicates: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const REMEMBERED_REFERRERS = 20_000;

/** A click with all that is known of it. */
interface Known extends DescribedClick {
  readonly incoming: IncomingClick;
}

/**
 * Counts clicks: the same for those that come from Kafka and for those of this process. A batch is counted as a whole and
 * once, whatever breaks in between.
 */
export class ClickRollup {
  private readonly hosts = new LRUCache<string, string>({ max: REMEMBERED_REFERRERS });
  private readonly now: () => number;

  constructor(private readonly parts: RollupParts) {
    this.now = parts.now ?? Date.now;
  }

  /** `step`: the position in Kafka that moves along. Throws PositionMoved when another worker was faster. */
  async count(clicks: readonly IncomingClick[], step?: PositionStep): Promise<Counted> {
    try {
      return await this.countOnce(clicks, step);
    } catch (error) {
      if (!isPartitionMissing(error)) throw error;
      // A partition that this process remembers is gone: made again, or past its retention.
      this.parts.partitions.forget();
      return await this.countOnce(clicks, step);
    }
  }

  private async countOnce(
    clicks: readonly IncomingClick[],
    step: PositionStep | undefined,
  ): Promise<Counted> {
    const { rollups, partitions, settings } = this.parts;
    const now = this.now();
    const known = uniqueById(clicks).map((click) => this.describe(click));
    await partitions.ensure(this.partitionsFor(known, now));
    const visits = await this.visitsOf(known, now);
    const counts = this.countsOf(known, visits, now);
    return rollups.transact(async (counting) => {
      if (step) await counting.move(step);
      const seen =
        settings.refusesDuplicates && known.length > 0
          ? await counting.remember(known.map(({ incoming }) => incoming.id))
          : NONE;
      // Duplicates are rare, so the work is done before they are looked for, and once more without them.
      const fresh =
        seen.size === 0 ? known : known.filter(({ incoming }) => !seen.has(incoming.id));
      const adding = seen.size === 0 ? counts : this.countsOf(fresh, visits, now);
      if (fresh.length > 0) await counting.add(adding);
      const kept = this.rawRowsOf(fresh, now);
      if (kept.length > 0) await counting.keep(kept);
      return { counted: fresh.length, duplicates: clicks.length - fresh.length };
    });
  }

  private describe(incoming: IncomingClick): Known {
    const { event, time } = incoming;
    return {
      incoming,
      time,
      code: event.code,
      agent: this.parts.describeAgent(event.userAgent),
      referrer: this.hostOf(event.referrer),
      country: this.parts.countryOf(event.ip),
    };
  }

  private hostOf(referrer: string | null): string {
    if (referrer === null) return '';
    let host = this.hosts.get(referrer);
    if (host === undefined) {
      host = referrerHost(referrer);
      this.hosts.set(referrer, host);
    }
    return host;
  }

  private countsOf(known: readonly Known[], visits: readonly (Visit | undefined)[], now: number) {
    const { minuteRetentionDays, rawRetentionDays } = this.parts.settings;
    const retention = { rawDays: rawRetentionDays, minuteDays: minuteRetentionDays };
    return {
      tallies: tallyClicks(known),
      visits: visits.filter((visit) => visit !== undefined),
      minutesFromDay: keptFrom('click_minutes', retention, now) / DAY_MS,
    };
  }

  /** Bots are no visitors. A visitor who comes twice in a batch is named once. */
  private async visitsOf(known: readonly Known[], now: number): Promise<Visit[]> {
    if (!this.parts.settings.countsUniques) return [];
    const salts = new Map<number, string | undefined>();
    const visits = new Map<string, Visit>();
    for (const { incoming, agent, code, time } of known) {
      if (agent.isBot) continue;
      const day = Math.floor(time / DAY_MS);
      if (!salts.has(day)) salts.set(day, await this.parts.salts.saltOf(day, now));
      const salt = salts.get(day);
      if (salt === undefined) continue;
      const { ip, userAgent } = incoming.event;
      const visitor = visitorOf({ salt, code, ip, userAgent });
      visits.set(code + visitor, { day, code, visitor });
    }
    return [...visits.values()];
  }

  private rawRowsOf(known: readonly Known[], now: number): RawRow[] {
    const { rawRetentionDays, ipMode } = this.parts.settings;
    if (rawRetentionDays === 0) return [];
    const from = keptFrom('clicks', { rawDays: rawRetentionDays, minuteDays: 0 }, now);
    return known
      .filter(({ time }) => time >= from)
      .map(({ incoming, time, code, country, agent }) => ({
        time,
        id: incoming.id,
        code,
        ip: storedAddress(incoming.event.ip, ipMode),
        country: country === '' ? null : country,
        referrer: incoming.event.referrer?.replace(/[?#].*$/s, '') ?? null,
        userAgent: incoming.event.userAgent,
        isBot: agent.isBot,
      }));
  }

  private partitionsFor(known: readonly Known[], now: number): Partition[] {
    const { settings } = this.parts;
    const days = new Set(known.map(({ time }) => Math.floor(time / DAY_MS) * DAY_MS));
    const retention = {
      rawDays: settings.rawRetentionDays,
      minuteDays: settings.minuteRetentionDays,
    };
    const tables: PartitionedTable[] = ['click_minutes'];
    if (settings.rawRetentionDays > 0) tables.push('clicks');
    if (settings.countsUniques) tables.push('click_visitors');
    const ofDays = [...days].flatMap((day) =>
      tables
        .filter((table) => day >= keptFrom(table, retention, now))
        .map((table) => partitionAt(table, day)),
    );
    // The hour is the database's to tell, and its clock may be a little off ours.
    const hours = [now - HOUR_MS, now, now + HOUR_MS];
    return [...ofDays, ...hours.map((time) => partitionAt('click_seen', time))];
  }
}

/** PostgreSQL calls it a check violation, of no constraint. */
export function isPartitionMissing(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23514' && constraint === undefined;
}

const NONE: ReadonlySet<string> = new Set();

/** A message may come twice in one batch. */
function uniqueById(clicks: readonly IncomingClick[]): readonly IncomingClick[] {
  const ids = new Set(clicks.map(({ id }) => id));
  if (ids.size === clicks.length) return clicks;
  return clicks.filter(({ id }) => ids.delete(id));
}
