import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { POOL } from '../app.tokens.ts';
import type { RememberedConsent } from '../provider/consent-memory.ts';
import { PrismaService } from '../store/prisma.service.ts';
import { readConsent } from './consent-record.ts';

/** An application that a person has allowed something. */
export interface AllowedApplication {
  readonly clientId: string;
  readonly name: string;
  readonly consent: RememberedConsent;
  readonly since: Date;
}

/** What people have allowed applications, until they take it back. */
@Injectable()
export class ConsentsRepository {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly prisma: PrismaService,
  ) {}

  /** Part of every sign-in to an application, hence prepared. */
  async recall(accountId: string, clientId: string): Promise<RememberedConsent | undefined> {
    const { rows } = await this.pool.query<{ allowed: unknown }>({
      name: 'consent-recall',
      text: 'SELECT allowed FROM consents WHERE account_id = $1 AND client_id = $2',
      values: [accountId, clientId],
    });
    return rows[0] && readConsent(rows[0].allowed);
  }

  async forget(accountId: string, clientId: string): Promise<boolean> {
    const { count } = await this.prisma.consent.deleteMany({ where: { accountId, clientId } });
    return count > 0;
  }

  /** The applications of one person, the latest first. */
  async list(accountId: string): Promise<AllowedApplication[]> {
    const consents = await this.prisma.consent.findMany({
      where: { accountId },
      include: { client: { select: { metadata: true } } },
      orderBy: { createdAt: 'desc' },
      take: 500,
    });
    return consents.map(({ clientId, allowed, createdAt, client }) => {
      const { client_name: name } = client.metadata as { client_name?: unknown };
      return {
        clientId,
        name: typeof name === 'string' && name !== '' ? name : clientId,
        consent: readConsent(allowed),
        since: createdAt,
      };
    });
  }
}
