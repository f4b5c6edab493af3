import { randomBytes } from 'node:crypto';
import type {
  ChangeClient,
  ClientPage,
  ClientView,
  RegisterClient,
  RegisteredClientView,
  RotatedSecret,
} from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/audit-log.service.ts';
import { hashSecret, needsSecret } from './client.ts';
import {
  type AdministeredClient,
  ClientAdministrationRepository,
} from './client-administration.repository.ts';
import { ClientCheck } from './client-check.ts';
import { fromMetadata, toMetadata } from './client-metadata.ts';
import { type ClientDescription, judgeClient } from './client-rules.ts';
import { ClientTokens } from './client-tokens.ts';

/** What operators do with clients. Secrets are made here, told once, and kept as hashes. */
@Injectable()
export class ClientAdministration {
  constructor(
    private readonly clients: ClientAdministrationRepository,
    private readonly check: ClientCheck,
    private readonly tokens: ClientTokens,
    private readonly audit: AuditLog,
  ) {}

  async register(client: RegisterClient): Promise<RegisteredClientView> {
    const clientId = client.clientId ?? `client-${randomBytes(9).toString('hex')}`;
    const metadata = await this.judged(clientId, client);
    const secret = needsSecret(metadata) ? newSecret() : undefined;
    const added = await this.clients.add({
      clientId,
      metadata,
      apiScopes: client.apiScopes,
      introspects: client.introspects,
      secretHash: secret === undefined ? undefined : hashSecret(secret),
    });
    if (!added) throw new DomainError('conflict', 'A client of this id exists.');
    this.audit.record('client.created', { clientId });
    return {
      ...(await this.show(clientId)),
      ...(secret === undefined ? {} : { clientSecret: secret }),
    };
  }

  async show(clientId: string): Promise<ClientView> {
    return toView(await this.find(clientId));
  }

  async list(page: { after: string | undefined; limit: number }): Promise<ClientPage> {
    const found = await this.clients.list({ after: page.after, limit: page.limit + 1 });
    const items = found.slice(0, page.limit).map(toView);
    return {
      items,
      nextCursor: found.length > page.limit ? (items.at(-1)?.clientId ?? null) : null,
    };
  }

  async change(clientId: string, change: ChangeClient): Promise<ClientView> {
    const before = toView(await this.find(clientId));
    const given = Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined),
    );
    const after = { ...before, ...given } as ClientView;
    const metadata = await this.judged(clientId, after);
    await this.clients.change(clientId, {
      metadata,
      apiScopes: after.apiScopes,
      introspects: after.introspects,
    });
    this.audit.record('client.changed', { clientId, members: Object.keys(given).join(' ') });
    return this.show(clientId);
  }

  /** A new secret beside the ones so far, which stay valid for `overlapSeconds`. */
  async rotateSecret(clientId: string, overlapSeconds: number, now: Date): Promise<RotatedSecret> {
    const { metadata } = await this.find(clientId);
    if (!needsSecret(metadata))
      throw new DomainError('conflict', 'This client does not authenticate with a secret.');
    const secret = newSecret();
    const previousExpireAt = new Date(now.getTime() + overlapSeconds * 1000);
    const previous = await this.clients.rotateSecret(
      clientId,
      hashSecret(secret),
      previousExpireAt,
    );
    this.audit.record('client.secret-rotated', { clientId, overlapSeconds });
    return {
      clientId,
      clientSecret: secret,
      previousExpireAt: previous > 0 ? previousExpireAt.toISOString() : null,
    };
  }

  /** A disabled client authenticates no more, and its tokens end. What people consented to is kept. */
  async disable(clientId: string, now: Date): Promise<ClientView> {
    await this.find(clientId);
    await this.clients.change(clientId, { disabledAt: now });
    await this.tokens.end(clientId);
    this.audit.record('client.disabled', { clientId });
    return this.show(clientId);
  }

  async enable(clientId: string): Promise<ClientView> {
    await this.find(clientId);
    await this.clients.change(clientId, { disabledAt: null });
    this.audit.record('client.enabled', { clientId });
    return this.show(clientId);
  }

  async remove(clientId: string): Promise<void> {
    await this.find(clientId);
    await this.clients.remove(clientId);
    await this.tokens.end(clientId);
    this.audit.record('client.deleted', { clientId });
  }

  private async find(clientId: string): Promise<AdministeredClient> {
    const client = await this.clients.find(clientId);
    if (!client) throw new DomainError('not-found', 'There is no client of this id.');
    return client;
  }

  /** The metadata, when neither our rules nor the library find a fault; else all faults. */
  private async judged(clientId: string, client: ClientDescription) {
    const faults = judgeClient(client);
    const metadata = toMetadata(client);
    if (faults.length === 0) {
      const refusal = await this.check.refusalOf(clientId, metadata);
      if (refusal) faults.push({ pointer: '', detail: refusal });
    }
    if (faults.length > 0)
      throw new DomainError('invalid-request', 'The client cannot be registered like this.', {
        errors: faults,
      });
    return metadata;
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function toView(client: AdministeredClient): ClientView {
  return {
    ...fromMetadata(client.metadata),
    clientId: client.clientId,
    apiScopes: [...client.apiScopes] as ClientView['apiScopes'],
    introspects: [...client.introspects],
    origin: client.origin,
    secrets: client.secrets.map(({ id, createdAt, expiresAt }) => ({
      id,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
    })),
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
    disabledAt: client.disabledAt?.toISOString() ?? null,
  };
}
