import { type Route, RouteTable, type Routing } from './routes.ts';
import { type PoolEvents, UpstreamPool } from './upstream-pool.ts';

export interface Destination {
  readonly route: Route;
  readonly pool: UpstreamPool;
}

/** The routing in force: a table, and the pools it leads to. */
export class Upstreams {
  private table: RouteTable;
  private pools: Map<string, UpstreamPool>;

  constructor(
    routing: Routing,
    private readonly events: PoolEvents,
  ) {
    this.table = new RouteTable(routing.routes);
    this.pools = this.openPools(routing, new Map());
  }

  get allPools(): Iterable<UpstreamPool> {
    return this.pools.values();
  }

  get routes(): readonly Route[] {
    return this.table.routes;
  }

  /** Where a request goes; `path` or `host` names what no route has. */
  find(host: string, path: string): Destination | 'path' | 'host' {
    const match = this.table.find(host, path);
    if ('missing' in match) return match.missing;
    const pool = this.pools.get(match.route.pool) as UpstreamPool;
    return { route: match.route, pool };
  }

  /** Puts another routing in force. Pools that did not change keep their connections and what they know of their peers. */
  apply(routing: Routing): void {
    const before = this.pools;
    this.pools = this.openPools(routing, before);
    this.table = new RouteTable(routing.routes);
    for (const [name, pool] of before) {
      // What is in flight on a pool that is gone still finishes.
      if (this.pools.get(name) !== pool) pool.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()));
  }

  private openPools(
    routing: Routing,
    before: ReadonlyMap<string, UpstreamPool>,
  ): Map<string, UpstreamPool> {
    const pools = new Map<string, UpstreamPool>();
    for (const [name, options] of Object.entries(routing.pools)) {
      const old = before.get(name);
      const isUnchanged = old && JSON.stringify(old.options) === JSON.stringify(options);
      const pool = isUnchanged ? old : new UpstreamPool(name, options, this.events);
      if (!isUnchanged) pool.startProbes();
      pools.set(name, pool);
    }
    return pools;
  }
}
