import { isUnreachable } from '@gatepost/postgres';
import { DomainError } from '@gatepost/problem-details';
import { LRUCache } from 'lru-cache';
import type { Blocklist } from '../safety/blocklist.ts';
import { BulkheadFull } from './bulkhead.ts';
import type { CachedLink } from './cached-link.ts';
import type { LinkLookupRepository } from './link-lookup.repository.ts';
import type { CacheLevel } from './redirect-metrics.ts';
import type { RedisLinkCache } from './redis-link-cache.ts';

/** What a code leads to right now. */
export type Resolution =
  | { readonly kind: 'link'; readonly link: CachedLink }
  | { readonly kind: 'blocked'; readonly reason: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'missing' };

/** A place in the in-process cache. Times are Unix milliseconds. */
interface Entry {
  readonly found: CachedLink | 'archived' | 'missing';
  /** Fixed when the entry is made: a hit does not prolong it, or a hot link would never be looked up again. */
  freshUntil: number;
  /** Past freshness, for the time that neither store answers. */
  readonly usableUntil: number;
  /** The blocklist's word on the destination, and which edition of the list spoke. */
  blockedReason: string | undefined;
  blocklistEdition: number;
}

export interface ResolverSettings {
  readonly entries: number;
  readonly freshMs: number;
  /** Counts lookups by where they ended. */
  readonly levels: Record<CacheLevel, number>;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** An unknown code may be created, here or elsewhere, the moment after. */
const MISSING_FRESH_MS = 1_000;

/** How long an entry serves while no announcement can arrive. */
const UNHEARD_FRESH_MS = 1_000;

const MISSING: Resolution = { kind: 'missing' };
const EXPIRED: Resolution = { kind: 'expired' };

/** in process → Redis → Postgres, each read once per code however many ask at the same time. */
export class LinkResolver {
  private readonly entries: LRUCache<string, Entry>;
  /** Apart, so that somebody who tries out codes does not push links out. */
  private readonly unknown = new LRUCache<string, Entry>({ max: 10_000 });
  private readonly flights = new Map<string, Promise<Entry>>();
  private readonly freshMs: number;
  private readonly levels: Record<CacheLevel, number>;
  /** By how much entries go out of date earlier, ms. */
  private hasteMs = 0;

  constructor(
    private readonly lookup: LinkLookupRepository,
    private readonly shared: RedisLinkCache | undefined,
    private readonly blocklist: Blocklist,
    settings: ResolverSettings,
  ) {
    this.entries = new LRUCache({ max: settings.entries });
    this.levels = settings.levels;
    // Without the shared cache this one is the 24 h cache.
    this.freshMs = shared ? settings.freshMs : DAY_MS;
    if (shared) this.hearsAnnouncements(false);
  }

  /** An active link that is fresh in process; undefined means nothing but "call resolve". */
  peek(code: string, now: number): CachedLink | undefined {
    const entry = this.entries.get(code);
    if (entry === undefined || now >= entry.freshUntil - this.hasteMs) return undefined;
    const { found } = entry;
    if (typeof found === 'string' || found.expiresAt <= now) return undefined;
    if (this.blockedReasonOf(entry, found) !== undefined) return undefined;
    this.levels.process += 1;
    return found;
  }

  /** At once when the answer is in process; throws `store-unavailable` when nobody can know. */
  resolve(code: string, now: number): Resolution | Promise<Resolution> {
    const entry = this.entries.get(code);
    if (entry !== undefined && now < entry.freshUntil - this.hasteMs) {
      this.levels.process += 1;
      return this.judge(entry, now);
    }
    const unknown = entry === undefined ? this.unknown.get(code) : undefined;
    if (unknown !== undefined && now < unknown.freshUntil) {
      this.levels.process += 1;
      return MISSING;
    }
    return this.look(code, now).then((looked) => this.judge(looked, now));
  }

  /** Drops what is known of a code, and what is being read of it right now. */
  forget(code: string): void {
    this.entries.delete(code);
    this.unknown.delete(code);
    this.flights.delete(code);
  }

  /** Announcements may have been missed: everything is looked up again before it is used, as long as a store answers. */
  doubtAll(): void {
    for (const entry of this.entries.values()) entry.freshUntil = 0;
    this.unknown.clear();
    this.flights.clear();
  }

  /**
   * Nobody tells what other nodes change while announcements are not heard: entries then serve for a second only, so that
   * edits and bans still arrive in time, at the price of a lookup per code and second.
   */
  hearsAnnouncements(isHeard: boolean): void {
    this.hasteMs = isHeard ? 0 : Math.max(0, this.freshMs - UNHEARD_FRESH_MS);
  }

  /** Takes over a scan's clean verdict, so that the link is not offered for a scan again. */
  replace(link: CachedLink, now: number): void {
    const entry = this.entries.peek(link.code);
    if (typeof entry?.found === 'object' && entry.found.version === link.version)
      this.entries.set(link.code, { ...entry, found: link });
    this.shared?.store(link, now);
  }

  private judge(entry: Entry, now: number): Resolution {
    const { found } = entry;
    if (found === 'missing') return MISSING;
    if (found === 'archived' || found.expiresAt <= now) return EXPIRED;
    const reason = this.blockedReasonOf(entry, found);
    return reason === undefined ? { kind: 'link', link: found } : { kind: 'blocked', reason };
  }

  private blockedReasonOf(entry: Entry, link: CachedLink): string | undefined {
    if (entry.blocklistEdition !== this.blocklist.edition) {
      entry.blockedReason = this.blocklist.find(link.longUrl);
      entry.blocklistEdition = this.blocklist.edition;
    }
    return link.blockedReason ?? entry.blockedReason;
  }

  private look(code: string, now: number): Promise<Entry> {
    const flight = this.flights.get(code);
    if (flight) return flight;
    const started: Promise<Entry> = this.read(code, now).then(
      (entry) => {
        // A change that came meanwhile took this flight off the list: its answer serves who waits, and is not kept.
        if (this.flights.get(code) === started) {
          this.flights.delete(code);
          this.keep(code, entry);
        }
        return entry;
      },
      (error: unknown) => {
        if (this.flights.get(code) === started) this.flights.delete(code);
        return this.useOld(code, now, error);
      },
    );
    this.flights.set(code, started);
    return started;
  }

  private keep(code: string, entry: Entry): void {
    if (entry.found !== 'missing') {
      this.entries.set(code, entry);
      return;
    }
    this.entries.delete(code);
    this.unknown.set(code, entry);
  }

  private async read(code: string, now: number): Promise<Entry> {
    const cached = await this.shared?.find(code, now);
    if (cached) {
      this.levels.redis += 1;
      return this.entryOf(cached, now);
    }
    const found = await this.lookup.findLink(code);
    this.levels.postgres += 1;
    if (typeof found === 'object') this.shared?.store(found, now);
    return this.entryOf(found, now);
  }

  private entryOf(found: Entry['found'], now: number): Entry {
    return {
      found,
      freshUntil: now + (found === 'missing' ? MISSING_FRESH_MS : this.freshMs),
      usableUntil: now + (found === 'missing' ? MISSING_FRESH_MS : DAY_MS),
      blockedReason: undefined,
      blocklistEdition: -1,
    };
  }

  /** The database is away: an entry of the last 24 h still answers, anything else must not be guessed. */
  private useOld(code: string, now: number, error: unknown): Entry {
    if (!isUnreachable(error) && !(error instanceof BulkheadFull)) throw error;
    const entry = this.entries.get(code);
    if (entry && now < entry.usableUntil) {
      this.levels.stale += 1;
      return entry;
    }
    throw new DomainError(
      'store-unavailable',
      'Whether this link exists cannot be told right now. Try again in a moment.',
      { headers: { 'retry-after': '2' }, cause: error },
    );
  }
}
