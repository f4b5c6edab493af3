import { isUnreachable } from '@gatepost/postgres';
import type { Logger } from '@gatepost/service-kit';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '../app.tokens.ts';
import { ClientRegistry } from '../clients/client-registry.service.ts';
import { ChangeMarksRepository, type Topic } from '../store/change-marks.repository.ts';
import { KeysInUse } from './keys-in-use.service.ts';

/** Keeps this process in step with what another process, or an operator, changed in the database. */
@Injectable()
export class Watch implements OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private seen = new Map<Topic, string>();
  private isReachable = true;

  constructor(
    private readonly marks: ChangeMarksRepository,
    private readonly clients: ClientRegistry,
    private readonly keys: KeysInUse,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Looks every `intervalMs` until stopped. */
  start(intervalMs: number): void {
    const look = async () => {
      await this.look(new Date()).catch((error) => this.report(error));
      if (this.timer) this.timer = setTimeout(() => void look(), intervalMs).unref();
    };
    this.timer = setTimeout(() => void look(), intervalMs).unref();
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** One look: takes over what changed since the last one. */
  async look(now: Date): Promise<void> {
    const marks = await this.marks.read();
    if (!this.isReachable) this.logger.info('the database is back');
    this.isReachable = true;
    const hasChanged = (topic: Topic) => this.seen.get(topic) !== marks.get(topic);
    if (hasChanged('clients')) this.clients.forget();
    if (hasChanged('signing_keys')) await this.keys.read(now);
    // A waiting key begins to sign by the clock alone.
    else this.keys.advance(now);
    this.seen = marks;
  }

  private report(error: unknown): void {
    if (!isUnreachable(error)) this.logger.error({ err: error }, 'changes could not be taken over');
    else if (this.isReachable)
      this.logger.warn('the database is away; clients and keys stay as they are');
    this.isReachable = !isUnreachable(error);
  }
}
