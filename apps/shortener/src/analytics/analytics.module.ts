import type { Pool } from '@gatepost/postgres';
import type { Logger, Registry } from '@gatepost/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import type { ClicksEnv } from '../clicks/clicks-environment.ts';
import { ClickRollup } from './click-rollup.ts';
import { LinkStatistics } from './link-statistics.service.ts';
import { openClickRollup } from './open-click-rollup.ts';
import { StatsRepository } from './stats.repository.ts';

export interface AnalyticsOptions {
  readonly env: ClicksEnv;
  readonly pool: Pool;
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** Answers the statistics of links, and rolls clicks up where that happens in process. Global, for the in-process sink asks it. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a static method
export class AnalyticsModule {
  static with({ env, pool }: AnalyticsOptions): DynamicModule {
    return {
      module: AnalyticsModule,
      global: true,
      providers: [
        { provide: ClickRollup, useFactory: () => openClickRollup(env, pool) },
        {
          provide: LinkStatistics,
          useValue: new LinkStatistics(new StatsRepository(pool), env.CLICK_MINUTE_RETENTION_DAYS),
        },
      ],
      exports: [ClickRollup, LinkStatistics],
    };
  }
}
