import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { POOL } from '../app.tokens.ts';
import { PrismaClient } from '../generated/client.ts';

/** Prisma on the pool that the hand-written statements use too. Its owner closes the pool. */
@Injectable()
export class PrismaService extends PrismaClient implements OnModuleDestroy {
  constructor(@Inject(POOL) pool: Pool) {
    super({ adapter: new PrismaPg(pool) });
  }

  async onModuleDestroy(): Promise<void> {
    await this.$disconnect();
  }
}
