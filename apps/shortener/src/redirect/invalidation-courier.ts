import { isUnreachable } from '@gatepost/postgres';
import type { Logger } from '@gatepost/service-kit';
import type {
  Invalidation,
  InvalidationOutboxRepository,
} from './invalidation-outbox.repository.ts';
import type { LinkResolver } from './link-resolver.ts';
import type { RedisLinkCache } from './redis-link-cache.ts';

const LOOK_EVERY_MS = 400;

/**
 * Tells every cache of changed links. A change is announced by who made it, at once; what that misses (Redis was away, the
 * process died) stands in the outbox, and whichever node looks next delivers it.
 */
export class InvalidationCourier {
  private timer: NodeJS.Timeout | undefined;
  private looking = false;

  constructor(
    private readonly outbox: InvalidationOutboxRepository,
    private readonly resolver: LinkResolver,
    private readonly shared: RedisLinkCache | undefined,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.shared?.onConnected((connection) => void this.catchUp(connection));
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Announces changes that were just committed. Never rejects: they are in the outbox. */
  async announce(changes: readonly Invalidation[]): Promise<void> {
    try {
      await this.deliver(changes);
    } catch (error) {
      this.logger.debug({ err: error }, 'an invalidation waits in the outbox');
    }
  }

  /** Before a Redis that was away is believed again, it hears all it missed. */
  private async catchUp(connection: number): Promise<void> {
    try {
      await this.deliverPending();
    } catch (error) {
      // With the database away too nobody can change a link either, and the shared cache is what keeps redirects going.
      if (!isUnreachable(error)) return;
    }
    this.shared?.trust(connection);
  }

  private async look(): Promise<void> {
    if (this.looking || this.shared?.isConnected === false) return;
    this.looking = true;
    try {
      await this.deliverPending();
    } catch (error) {
      this.logger.debug({ err: error }, 'the outbox waits');
    } finally {
      this.looking = false;
    }
  }

  private async deliverPending(): Promise<void> {
    for (;;) {
      const pending = await this.outbox.findPending();
      if (pending.length === 0) return;
      await this.deliver(pending);
    }
  }

  private async deliver(changes: readonly Invalidation[]): Promise<void> {
    for (const { code } of changes) this.resolver.forget(code);
    if (this.shared)
      await Promise.all(changes.map(({ code, version }) => this.shared?.invalidate(code, version)));
    if (changes.length > 0) await this.outbox.remove(changes);
  }
}
