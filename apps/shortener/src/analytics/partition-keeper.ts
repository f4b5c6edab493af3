import type { Logger } from '@gatepost/service-kit';
import type { ClicksEnv } from '../clicks/clicks-environment.ts';
import type { PartitionRepository } from './partition.repository.ts';
import { isExpired, partitionsAhead, type Retention } from './partitions.ts';

const EVERY_MS = 10 * 60_000;

/** Sees to it that partitions stand before they are needed, and go when their time is over. Any number may run at once. */
export class PartitionKeeper {
  private readonly retention: Retention;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly partitions: PartitionRepository,
    env: Pick<ClicksEnv, 'CLICK_RAW_RETENTION_DAYS' | 'CLICK_MINUTE_RETENTION_DAYS'>,
    private readonly logger: Logger,
  ) {
    this.retention = {
      rawDays: env.CLICK_RAW_RETENTION_DAYS,
      minuteDays: env.CLICK_MINUTE_RETENTION_DAYS,
    };
  }

  start(): void {
    const keep = () =>
      this.keep(Date.now()).catch((error: Error) => {
        this.logger.warn({ err: error }, 'the partitions of clicks could not be kept');
      });
    void keep();
    this.timer = setInterval(() => void keep(), EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Returns the names of the partitions that were dropped. */
  async keep(now: number): Promise<string[]> {
    await this.partitions.ensure(partitionsAhead(now));
    const dropped: string[] = [];
    for (const partition of await this.partitions.list()) {
      if (!isExpired(partition, this.retention, now)) continue;
      if (await this.partitions.drop(partition)) dropped.push(partition.name);
    }
    if (dropped.length > 0) this.logger.info({ dropped }, 'partitions of clicks dropped');
    return dropped;
  }
}
