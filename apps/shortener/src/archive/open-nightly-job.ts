import type { Pool } from '@gatepost/postgres';
import type { Logger } from '@gatepost/service-kit';
import { PackRepository } from '../analytics/pack.repository.ts';
import { PartitionRepository } from '../analytics/partition.repository.ts';
import { PartitionKeeper } from '../analytics/partition-keeper.ts';
import { SaltRepository } from '../analytics/salt.repository.ts';
import type { ClicksEnv } from '../clicks/clicks-environment.ts';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.ts';
import { ArchiveRepository } from './archive.repository.ts';
import { NightlyJob } from './nightly-job.ts';

export function openNightlyJob(env: ClicksEnv, pool: Pool, logger: Logger): NightlyJob {
  return new NightlyJob({
    links: new ArchiveRepository(pool),
    answers: new IdempotencyRepository(pool),
    packs: new PackRepository(pool),
    salts: new SaltRepository(pool),
    partitions: new PartitionKeeper(new PartitionRepository(pool), env, logger),
    logger,
  });
}
