import type { Pool } from '@gatepost/postgres';
import type { Logger, Registry } from '@gatepost/service-kit';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ADDRESSES, ENV, LOGGER, METRICS, POOL } from './app.tokens.ts';
import { AuditLog } from './audit/audit-log.service.ts';
import { type AuthEnv, addressesOf } from './env.ts';
import { PurgeRepository } from './maintenance/purge.repository.ts';
import { Purge } from './maintenance/purge.service.ts';
import { PrismaService } from './store/prisma.service.ts';

export interface Infrastructure {
  readonly env: AuthEnv;
  readonly pool: Pool;
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** What the process was started with, for every room. */
@Global()
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a static method
export class InfrastructureModule {
  static with({ env, pool, logger, metrics }: Infrastructure): DynamicModule {
    return {
      module: InfrastructureModule,
      providers: [
        { provide: ENV, useValue: env },
        { provide: ADDRESSES, useValue: addressesOf(env) },
        { provide: POOL, useValue: pool },
        { provide: LOGGER, useValue: logger },
        { provide: METRICS, useValue: metrics },
        AuditLog,
        PrismaService,
        Purge,
        PurgeRepository,
      ],
      exports: [ENV, ADDRESSES, POOL, LOGGER, METRICS, AuditLog, PrismaService, Purge],
    };
  }
}
