import type { Pool } from '@gatepost/postgres';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';

/** Prisma on the connections that the hand-written statements use too. */
export class PrismaService extends PrismaClient {
  constructor(pool: Pool) {
    super({ adapter: new PrismaPg(pool) });
  }
}
