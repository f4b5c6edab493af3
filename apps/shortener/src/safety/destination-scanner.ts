import type { Logger } from '@gatepost/service-kit';
import { LRUCache } from 'lru-cache';
import type { CachedLink } from '../redirect/cached-link.ts';
import type { InvalidationCourier } from '../redirect/invalidation-courier.ts';
import type { LinkResolver } from '../redirect/link-resolver.ts';
import type { ScanRepository } from './scan.repository.ts';
import { type ScanTools, scanDestination, type Verdict } from './scan-destination.ts';

/** Who hears of a verdict. */
export interface ScanAudience {
  readonly resolver: LinkResolver;
  readonly courier: InvalidationCourier;
  /** `dropped`: there was no room for the scan. */
  readonly count: (verdict: Verdict['kind'] | 'dropped') => void;
  readonly logger: Logger;
}

const AT_ONCE = 4;
/** Links that wait for their scan. One that finds no room is offered again with its next redirect. */
const MAX_WAITING = 1_000;
const SCAN_TIMEOUT_MS = 5_000;
/** An inconclusive scan is repeated with the first redirect after this. */
const PAUSE_SECONDS = 300;

/**
 * Scans the destination of a link at its first redirect: after the answer, beside the requests. The visitor never waits for
 * it; a bad verdict stops the next one.
 */
export class DestinationScanner {
  private readonly offered = new LRUCache<string, true>({
    max: 50_000,
    ttl: PAUSE_SECONDS * 1_000,
    ttlResolution: 1_000,
  });
  private readonly waiting: CachedLink[] = [];
  private readonly running = new Set<AbortController>();
  private workers = 0;
  private isStopped = false;

  constructor(
    private readonly scans: ScanRepository,
    private readonly tools: ScanTools,
    private readonly audience: ScanAudience,
    private readonly isEnabled: boolean,
  ) {}

  stop(): void {
    this.isStopped = true;
    this.waiting.length = 0;
    for (const scan of this.running) scan.abort();
  }

  /** On the redirect's path: quick, and never throws. */
  offer(link: CachedLink): void {
    const key = `${link.code}/${link.version}`;
    if (!this.isEnabled || this.isStopped || this.offered.has(key)) return;
    if (this.waiting.length >= MAX_WAITING) {
      this.audience.count('dropped');
      return;
    }
    this.offered.set(key, true);
    this.waiting.push(link);
    if (this.workers < AT_ONCE) void this.work();
  }

  private async work(): Promise<void> {
    this.workers += 1;
    for (let link = this.waiting.shift(); link; link = this.waiting.shift()) {
      try {
        await this.scan(link);
      } catch (error) {
        this.offered.delete(`${link.code}/${link.version}`);
        this.audience.logger.warn({ err: error, link: link.code }, 'a scan failed');
      }
    }
    this.workers -= 1;
  }

  private async scan(link: CachedLink): Promise<void> {
    const { code, version } = link;
    if (!(await this.scans.claim(code, version, PAUSE_SECONDS))) return;
    const verdict = await this.judge(link.longUrl);
    if (this.isStopped) return;
    this.audience.count(verdict.kind);
    switch (verdict.kind) {
      case 'clean':
        if (await this.scans.markClean(code, version))
          this.audience.resolver.replace({ ...link, isScanned: true }, Date.now());
        return;
      case 'bad':
        return this.block(link, verdict.reason);
      case 'inconclusive':
        this.audience.logger.debug({ err: verdict.cause, link: code }, 'a scan was inconclusive');
    }
  }

  private async judge(longUrl: string): Promise<Verdict> {
    const scan = new AbortController();
    const limit = setTimeout(() => scan.abort(), SCAN_TIMEOUT_MS);
    this.running.add(scan);
    try {
      return await scanDestination(longUrl, this.tools, scan.signal);
    } finally {
      clearTimeout(limit);
      this.running.delete(scan);
    }
  }

  private async block({ code, version }: CachedLink, reason: string): Promise<void> {
    const invalidation = await this.scans.block(code, version, reason);
    if (!invalidation) return;
    this.audience.logger.info({ link: code, reason }, 'a link was blocked');
    await this.audience.courier.announce([invalidation]);
  }
}
