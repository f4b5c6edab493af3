import { Injectable } from '@nestjs/common';
import type { Prisma } from '../generated/client.ts';
import { PrismaService } from '../store/prisma.service.ts';
import type { ClientMetadata } from './client.ts';

export interface AdministeredClient {
  readonly clientId: string;
  readonly metadata: ClientMetadata;
  readonly apiScopes: readonly string[];
  readonly introspects: readonly string[];
  readonly origin: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
  readonly secrets: readonly { id: string; createdAt: Date; expiresAt: Date | null }[];
}

export interface ClientChange {
  readonly metadata?: ClientMetadata;
  readonly apiScopes?: readonly string[];
  readonly introspects?: readonly string[];
  readonly disabledAt?: Date | null;
}

const withSecrets = {
  secrets: {
    select: { id: true, createdAt: true, expiresAt: true },
    orderBy: { createdAt: 'asc' },
  },
} as const satisfies Prisma.ClientInclude;

type Row = Prisma.ClientGetPayload<{ include: typeof withSecrets }>;

/** Clients as operators see and change them. Every change raises the mark by which other processes notice. */
@Injectable()
export class ClientAdministrationRepository {
  constructor(private readonly prisma: PrismaService) {}

  /** False when the id is taken. */
  async add(client: {
    clientId: string;
    metadata: ClientMetadata;
    apiScopes: readonly string[];
    introspects: readonly string[];
    secretHash: Buffer | undefined;
  }): Promise<boolean> {
    return this.changing(async (tx) => {
      const { count } = await tx.client.createMany({
        data: {
          id: client.clientId,
          metadata: client.metadata as Prisma.InputJsonObject,
          apiScopes: [...client.apiScopes],
          introspects: [...client.introspects],
        },
        skipDuplicates: true,
      });
      if (count === 0) return false;
      if (client.secretHash)
        await tx.clientSecret.create({
          data: { clientId: client.clientId, hash: new Uint8Array(client.secretHash) },
        });
      return true;
    });
  }

  async find(clientId: string): Promise<AdministeredClient | undefined> {
    const row = await this.prisma.client.findUnique({
      where: { id: clientId },
      include: withSecrets,
    });
    return row ? toClient(row) : undefined;
  }

  /** Clients in the order of their ids, after `after` where given. */
  async list(page: { after: string | undefined; limit: number }): Promise<AdministeredClient[]> {
    const rows = await this.prisma.client.findMany({
      ...(page.after === undefined ? {} : { where: { id: { gt: page.after } } }),
      include: withSecrets,
      orderBy: { id: 'asc' },
      take: page.limit,
    });
    return rows.map(toClient);
  }

  async change(clientId: string, change: ClientChange): Promise<void> {
    const { metadata, apiScopes, introspects, disabledAt } = change;
    await this.changing((tx) =>
      tx.client.updateMany({
        where: { id: clientId },
        data: {
          ...(metadata ? { metadata: metadata as Prisma.InputJsonObject } : {}),
          ...(apiScopes ? { apiScopes: [...apiScopes] } : {}),
          ...(introspects ? { introspects: [...introspects] } : {}),
          ...(disabledAt === undefined ? {} : { disabledAt }),
          updatedAt: new Date(),
        },
      }),
    );
  }

  /** Adds a secret; those so far expire at `previousExpireAt` at the latest. The number of those. */
  async rotateSecret(clientId: string, hash: Buffer, previousExpireAt: Date): Promise<number> {
    return this.changing(async (tx) => {
      const { count } = await tx.clientSecret.updateMany({
        where: { clientId, OR: [{ expiresAt: null }, { expiresAt: { gt: previousExpireAt } }] },
        data: { expiresAt: previousExpireAt },
      });
      await tx.clientSecret.create({ data: { clientId, hash: new Uint8Array(hash) } });
      return count;
    });
  }

  async remove(clientId: string): Promise<void> {
    await this.changing((tx) => tx.client.deleteMany({ where: { id: clientId } }));
  }

  private changing<T>(work: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> {
    return this.prisma.$transaction(async (tx) => {
      const result = await work(tx);
      await tx.changeMark.update({
        where: { topic: 'clients' },
        data: { version: { increment: 1 } },
      });
      return result;
    });
  }
}

function toClient(row: Row): AdministeredClient {
  return {
    clientId: row.id,
    metadata: row.metadata as ClientMetadata,
    apiScopes: row.apiScopes,
    introspects: row.introspects,
    origin: row.origin,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    disabledAt: row.disabledAt,
    secrets: row.secrets,
  };
}
