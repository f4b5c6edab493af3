import { isUnreachable } from '@gatepost/postgres';
import type { Logger } from '@gatepost/service-kit';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '../app.tokens.ts';
import { KeyRotation } from '../keys/key-rotation.service.ts';
import { KeysInUse } from './keys-in-use.service.ts';

/** Looks after the signing keys once a minute; of several processes, whichever comes first does what is due. */
@Injectable()
export class KeySchedule implements OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly rotation: KeyRotation,
    private readonly inUse: KeysInUse,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.look(new Date()), 60_000).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async look(now: Date): Promise<void> {
    try {
      if (await this.rotation.maintain(now)) await this.inUse.read(now);
    } catch (error) {
      if (!isUnreachable(error))
        this.logger.error({ err: error }, 'signing keys could not be looked after');
    }
  }
}
