import { openPool, type Pool } from '@gatepost/postgres';
import { createLogger } from '@gatepost/service-kit';
import { until } from '@gatepost/test-services';
import type { Redis } from 'ioredis';
import { InvalidationCourier } from '../redirect/invalidation-courier.ts';
import { InvalidationListener } from '../redirect/invalidation-listener.ts';
import { InvalidationOutboxRepository } from '../redirect/invalidation-outbox.repository.ts';
import { LinkLookupRepository } from '../redirect/link-lookup.repository.ts';
import { LinkResolver, type Resolution } from '../redirect/link-resolver.ts';
import { openRedis } from '../redirect/redis-connection.ts';
import { RedisLinkCache } from '../redirect/redis-link-cache.ts';
import { Blocklist } from '../safety/blocklist.ts';

const logger = createLogger({ name: 'spec', level: 'fatal' });

export interface NodeOptions {
  readonly postgres: string;
  readonly redis?: string;
  readonly prefix?: string;
  readonly freshMs?: number;
}

/** What one process of the service holds to answer redirects. */
export class Node {
  readonly levels = { process: 0, redis: 0, postgres: 0, stale: 0 };
  readonly blocklist = new Blocklist();
  readonly resolver: LinkResolver;
  readonly courier: InvalidationCourier;
  readonly shared: RedisLinkCache | undefined;
  readonly pool: Pool;
  private readonly connections: Redis[];
  private readonly listener: InvalidationListener | undefined;

  constructor(options: NodeOptions) {
    const { postgres, redis, prefix = 'spec:', freshMs = 15_000 } = options;
    this.pool = openPool({
      url: postgres,
      applicationName: 'spec',
      maxConnections: 6,
      statementTimeoutMs: 1_000,
      answerTimeoutMs: 1_500,
      connectTimeoutMs: 500,
    });
    this.connections = redis
      ? [openRedis(redis, 'spec', logger), openRedis(redis, 'spec-subscriber', logger)]
      : [];
    const [commands, subscriber] = this.connections;
    this.shared = commands && new RedisLinkCache(commands, prefix);
    this.resolver = new LinkResolver(
      new LinkLookupRepository(this.pool),
      this.shared,
      this.blocklist,
      { entries: 1_000, freshMs, levels: this.levels },
    );
    this.courier = new InvalidationCourier(
      new InvalidationOutboxRepository(this.pool),
      this.resolver,
      this.shared,
      logger,
    );
    this.listener =
      subscriber && this.shared
        ? new InvalidationListener(subscriber, this.shared.channel, this.resolver)
        : undefined;
    this.courier.start();
    this.listener?.start();
  }

  /** Started, and all that is connected is in use. */
  static async start(options: NodeOptions): Promise<Node> {
    const node = new Node(options);
    if (node.shared) await until(() => node.shared?.isTrusted === true, { what: 'redis in use' });
    return node;
  }

  async resolve(code: string, now = Date.now()): Promise<Resolution> {
    return this.resolver.resolve(code, now);
  }

  /** Where a code leads to, or why nowhere. */
  async follow(code: string, now = Date.now()): Promise<string> {
    try {
      const resolution = await this.resolve(code, now);
      return resolution.kind === 'link' ? resolution.link.longUrl : resolution.kind;
    } catch (error) {
      return (error as { code?: string }).code ?? 'error';
    }
  }

  async stop(): Promise<void> {
    this.courier.stop();
    this.listener?.stop();
    for (const connection of this.connections) connection.disconnect();
    await this.pool.end();
  }
}
