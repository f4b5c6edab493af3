import { isUnreachable } from '@gatepost/postgres';
import type { Logger, Registry } from '@gatepost/service-kit';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Counter } from 'prom-client';
import { LOGGER, METRICS } from '../app.tokens.ts';
import { PurgeRepository } from './purge.repository.ts';

export interface PurgeTask {
  /** What is purged, for the log and the metric. */
  readonly name: string;
  /** Deletes at most `limit` rows and returns how many it deleted. */
  readonly run: (limit: number) => Promise<number>;
}

const BATCH = 1_000;
/** Between two batches other statements get their turn. */
const PAUSE_MS = 20;

/** Deletes expired rows in batches, so that no table grows for ever and no statement holds much at once. */
@Injectable()
export class Purge implements OnModuleDestroy {
  private readonly tasks: PurgeTask[];
  private readonly purged: Counter<'what'>;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    repository: PurgeRepository,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.tasks = [
      { name: 'records', run: (limit) => repository.purgeRecords(limit) },
      { name: 'status_lists', run: (limit) => repository.purgeStatusLists(limit) },
      { name: 'client_secrets', run: (limit) => repository.purgeSecrets(limit) },
    ];
    this.purged = new Counter({
      name: 'auth_purged_rows_total',
      help: 'Expired rows that were deleted',
      labelNames: ['what'],
      registers: [metrics],
    });
  }

  /** Another room's rows. */
  add(task: PurgeTask): void {
    this.tasks.push(task);
  }

  /** Deletes all that has expired; counts by task. */
  async run(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { name, run } of this.tasks) {
      let total = 0;
      for (let deleted = BATCH; deleted === BATCH && !this.isStopped; ) {
        deleted = await run(BATCH);
        total += deleted;
        if (deleted === BATCH) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      counts[name] = total;
      this.purged.inc({ what: name }, total);
    }
    return counts;
  }

  /** Runs every `seconds`, at a moment of its own so that processes do not all purge at once. */
  schedule(seconds: number): void {
    if (seconds === 0) return;
    const purge = async () => {
      await this.run().catch((error: unknown) => {
        if (!isUnreachable(error))
          this.logger.error({ err: error }, 'expired rows could not be deleted');
      });
      if (!this.isStopped) again();
    };
    const again = () => {
      const waitMs = seconds * 1000 * (0.75 + Math.random() / 2);
      this.timer = setTimeout(() => void purge(), waitMs).unref();
    };
    again();
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}
