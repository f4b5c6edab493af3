import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hashSecret, needsSecret, type RegisteredClient } from './client.ts';
import { ClientsRepository } from './clients.repository.ts';

/** Clients kept in memory; beyond it the least recently used leave. */
const CAPACITY = 10_000;

/** Stands where the library wants a secret. Never compared with anything, and different in every process. */
const STAND_IN = randomBytes(32).toString('base64url');

/** The clients of this process: read once, kept until the database says that clients have changed. */
@Injectable()
export class ClientRegistry {
  private readonly known = new Map<string, RegisteredClient>();
  private generation = 0;

  constructor(private readonly clients: ClientsRepository) {}

  /** An enabled client, or undefined. Unknown ids are asked for each time: they are not worth memory. */
  async find(clientId: string): Promise<RegisteredClient | undefined> {
    const known = this.known.get(clientId);
    if (known) return known;
    const { generation } = this;
    const stored = await this.clients.findEnabled(clientId);
    if (!stored) return undefined;
    const client: RegisteredClient = {
      clientId,
      metadata: {
        ...stored.metadata,
        client_id: clientId,
        ...(needsSecret(stored.metadata) ? { client_secret: STAND_IN } : {}),
      },
      apiScopes: stored.apiScopes,
      introspects: stored.introspects,
      secrets: stored.secrets,
    };
    // A change that arrived while this was read must not be overwritten with what was before it.
    if (generation === this.generation) this.remember(client);
    return client;
  }

  /** Whether `secret` is one of the client's valid secrets; takes the same time whichever it is. */
  isSecretOf(client: RegisteredClient, secret: string, now: Date): boolean {
    const presented = hashSecret(secret);
    let matches = false;
    for (const { hash, expiresAt } of client.secrets) {
      const equal = timingSafeEqual(hash, presented);
      if (equal && (!expiresAt || expiresAt > now)) matches = true;
    }
    return matches;
  }

  /** Forgets what is in memory; the next request reads again. */
  forget(): void {
    this.generation++;
    this.known.clear();
  }

  async saveRegistered(clientId: string, metadata: Record<string, unknown>): Promise<void> {
    const { client_id: _id, client_secret: secret, ...rest } = metadata;
    await this.clients.save({
      clientId,
      metadata: rest,
      apiScopes: [],
      origin: 'registration',
      secretHashes: typeof secret === 'string' ? [hashSecret(secret)] : [],
    });
    this.forget();
  }

  async removeRegistered(clientId: string): Promise<void> {
    await this.clients.remove(clientId);
    this.forget();
  }

  private remember(client: RegisteredClient): void {
    if (this.known.size >= CAPACITY) {
      const [oldest] = this.known.keys();
      if (oldest !== undefined) this.known.delete(oldest);
    }
    this.known.set(client.clientId, client);
  }
}
