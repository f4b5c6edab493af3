import type { Logger } from '@gatepost/service-kit';
import type { PackRepository } from '../analytics/pack.repository.ts';
import type { PartitionKeeper } from '../analytics/partition-keeper.ts';
import type { SaltRepository } from '../analytics/salt.repository.ts';
import type { IdempotencyRepository } from '../idempotency/idempotency.repository.ts';
import type { ArchiveRepository } from './archive.repository.ts';

export interface NightlyParts {
  readonly links: ArchiveRepository;
  readonly answers: IdempotencyRepository;
  readonly packs: PackRepository;
  readonly salts: SaltRepository;
  readonly partitions: PartitionKeeper;
  readonly logger: Logger;
  readonly batch?: number;
}

/** What a run did, by step; a step that failed is named instead. */
export interface NightlyReport {
  readonly archivedLinks: number;
  readonly forgottenAnswers: number;
  readonly packedRows: number;
  readonly destroyedSalts: number;
  readonly droppedPartitions: number;
  readonly failed: readonly string[];
}

const DAY_MS = 86_400_000;
const BATCH = 5_000;

/**
 * What is done once a day: expired links move to the archive, and what is kept for a while only is let go. Every step works
 * in small transactions and does what is left to do, so a run may be cut off, repeated, or meet another one.
 */
export class NightlyJob {
  private isStopping = false;

  constructor(private readonly parts: NightlyParts) {}

  async run(now: Date): Promise<NightlyReport> {
    const { links, answers, salts, partitions, logger, batch = BATCH } = this.parts;
    const today = Math.floor(now.getTime() / DAY_MS);
    const failed: string[] = [];
    const step = async (name: string, work: () => Promise<number>): Promise<number> => {
      try {
        return this.isStopping ? 0 : await work();
      } catch (error) {
        logger.error({ err: error, step: name }, 'a step of the nightly job failed');
        failed.push(name);
        return 0;
      }
    };
    const report: NightlyReport = {
      archivedLinks: await step('archive links', () =>
        this.untilNoneIsLeft(() => links.archiveExpired(now, batch)),
      ),
      forgottenAnswers: await step('forget answers', () =>
        this.untilNoneIsLeft(() => answers.removeOld(batch)),
      ),
      // Yesterday's stragglers may still come.
      packedRows: await step('pack breakdowns', () => this.packBefore(today - 1)),
      destroyedSalts: await step('destroy salts', () => salts.destroyOld(now.getTime())),
      droppedPartitions: await step(
        'keep partitions',
        async () => (await partitions.keep(now.getTime())).length,
      ),
      failed,
    };
    logger.info({ ...report }, 'the nightly job is done');
    return report;
  }

  /** Ends after the batch at hand. */
  stop(): void {
    this.isStopping = true;
  }

  private packBefore(day: number): Promise<number> {
    let code = '';
    return this.untilNoneIsLeft(async () => {
      const { moved, lastCode } = await this.parts.packs.packBefore(day, code);
      code = lastCode;
      return moved;
    });
  }

  private async untilNoneIsLeft(work: () => Promise<number>): Promise<number> {
    let total = 0;
    for (let done = 1; done > 0 && !this.isStopping; total += done) done = await work();
    return total;
  }
}
