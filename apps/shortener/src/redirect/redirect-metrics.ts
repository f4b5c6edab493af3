import type { Registry } from '@gatepost/service-kit';
import { Counter, Gauge } from 'prom-client';

export type RedirectOutcome = 'redirected' | 'blocked' | 'expired' | 'missing' | 'unavailable';
export type CacheLevel = 'process' | 'redis' | 'postgres' | 'stale';

/** Counts as plain numbers, handed over when somebody scrapes: a labelled counter costs more than the lookup it counts. */
export class RedirectMetrics {
  readonly outcomes: Record<RedirectOutcome, number> = {
    redirected: 0,
    blocked: 0,
    expired: 0,
    missing: 0,
    unavailable: 0,
  };
  readonly levels: Record<CacheLevel, number> = { process: 0, redis: 0, postgres: 0, stale: 0 };

  constructor(registry: Registry, pendingInvalidations: () => Promise<number>) {
    const { outcomes, levels } = this;
    new Counter({
      name: 'shortener_redirects_total',
      help: 'Answers to GET and HEAD of a code',
      labelNames: ['outcome'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(outcomes)) this.inc({ outcome }, count);
      },
    });
    new Counter({
      name: 'shortener_link_lookups_total',
      help: 'Where a code was found out; stale: in process, past its freshness, for both stores were away',
      labelNames: ['level'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [level, count] of Object.entries(levels)) this.inc({ level }, count);
      },
    });
    new Gauge({
      name: 'shortener_invalidations_pending',
      help: 'Changed links that the caches have not been told of; absent while Postgres is away',
      registers: [registry],
      async collect() {
        try {
          this.set(await pendingInvalidations());
        } catch {
          this.remove(); // a scrape must not fail because the database is away
        }
      },
    });
  }
}
