import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ENV } from '../app.tokens.ts';
import { ClientTokens } from '../clients/client-tokens.ts';
import type { AuthEnv } from '../env.ts';
import { hashId } from './record.ts';
import { RecordsRepository } from './records.repository.ts';

/** Ends a client's own tokens and those of every grant it was given; the grants stay. */
@Injectable()
export class RecordClientTokens extends ClientTokens implements OnModuleDestroy {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly records: RecordsRepository,
    @Inject(ENV) private readonly env: Pick<AuthEnv, 'WATCH_INTERVAL_MS'>,
  ) {
    super();
  }

  async end(clientId: string): Promise<void> {
    await this.sweep(clientId);
    // Until they look again, other processes may still issue to a client that was just disabled: once more after that.
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.sweep(clientId).catch(() => this.timers.delete(timer));
    }, this.env.WATCH_INTERVAL_MS + 500).unref();
    this.timers.add(timer);
  }

  onModuleDestroy(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async sweep(clientId: string): Promise<void> {
    await this.records.revokeClient(clientId);
    for (const grantId of await this.records.grantsOfClient(clientId))
      await this.records.revokeGrant(hashId(grantId), grantId);
  }
}
