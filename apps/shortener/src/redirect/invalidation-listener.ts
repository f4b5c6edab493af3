import type { Redis } from 'ioredis';
import type { LinkResolver } from './link-resolver.ts';

/** A silent connection is tried this often: one that broke without a word would lose announcements for minutes. */
const PING_EVERY_MS = 1_000;

/** Hears what other nodes changed. */
export class InvalidationListener {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly subscriber: Redis,
    private readonly channel: string,
    private readonly resolver: LinkResolver,
  ) {}

  start(): void {
    this.subscriber.on('message', (_channel: string, code: string) => this.resolver.forget(code));
    this.subscriber.on('ready', () => void this.listen());
    this.subscriber.on('close', () => this.resolver.hearsAnnouncements(false));
    if (this.subscriber.status === 'ready') void this.listen();
    this.timer = setInterval(() => {
      if (this.subscriber.status === 'ready') this.subscriber.ping().catch(() => undefined);
    }, PING_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  /** First subscribed, then emptied: in the other order an announcement could fall between the two. */
  private async listen(): Promise<void> {
    try {
      await this.subscriber.subscribe(this.channel);
      this.resolver.doubtAll();
      this.resolver.hearsAnnouncements(true);
    } catch {
      if (!this.isStopped) this.subscriber.disconnect(true); // tries again from the beginning
    }
  }
}
