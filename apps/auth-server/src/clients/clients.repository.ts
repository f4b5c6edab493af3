import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { POOL } from '../app.tokens.ts';
import type { ClientMetadata, SecretHash } from './client.ts';

export interface StoredClient {
  readonly clientId: string;
  readonly metadata: ClientMetadata;
  readonly apiScopes: readonly string[];
  readonly introspects: readonly string[];
  readonly secrets: readonly SecretHash[];
}

interface Row {
  id: string;
  metadata: ClientMetadata;
  api_scopes: string[] | null;
  introspects: string[] | null;
  secrets: { hash: string; expires_at: string | null }[] | null;
}

/** What the protocol reads of clients; administration has a repository of its own. */
@Injectable()
export class ClientsRepository {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** A client that exists and is not disabled, with its secrets. */
  async findEnabled(clientId: string): Promise<StoredClient | undefined> {
    const { rows } = await this.pool.query<Row>({
      name: 'client-find',
      text: `SELECT c.id, c.metadata, c.api_scopes, c.introspects,
          (SELECT json_agg(json_build_object('hash', encode(s.hash, 'hex'), 'expires_at', s.expires_at)) FROM client_secrets s WHERE s.client_id = c.id) AS secrets
        FROM clients c WHERE c.id = $1 AND c.disabled_at IS NULL`,
      values: [clientId],
    });
    const [row] = rows;
    if (!row) return undefined;
    return {
      clientId: row.id,
      metadata: row.metadata,
      apiScopes: row.api_scopes ?? [],
      introspects: row.introspects ?? [],
      secrets: (row.secrets ?? []).map(({ hash, expires_at }) => ({
        hash: Buffer.from(hash, 'hex'),
        expiresAt: expires_at ? new Date(expires_at) : null,
      })),
    };
  }

  /** Creates or replaces a client with exactly these secrets, and tells the other processes. */
  async save(client: {
    clientId: string;
    metadata: ClientMetadata;
    apiScopes: readonly string[];
    introspects?: readonly string[];
    origin: string;
    secretHashes: readonly Buffer[];
  }): Promise<void> {
    await this.pool.query(
      `WITH saved AS (
         INSERT INTO clients (id, metadata, api_scopes, origin, introspects) VALUES ($1, $2, $3, $4, $6)
         ON CONFLICT (id) DO UPDATE SET metadata = EXCLUDED.metadata, api_scopes = EXCLUDED.api_scopes, introspects = EXCLUDED.introspects, updated_at = now()
       ), old AS (
         DELETE FROM client_secrets WHERE client_id = $1 AND NOT hash = ANY($5)
       ), added AS (
         INSERT INTO client_secrets (client_id, hash)
         SELECT $1, hash FROM unnest($5::bytea[]) AS hash
         WHERE NOT EXISTS (SELECT 1 FROM client_secrets s WHERE s.client_id = $1 AND s.hash = hash.hash)
       )
       UPDATE change_marks SET version = version + 1 WHERE topic = 'clients'`,
      [
        client.clientId,
        JSON.stringify(client.metadata),
        client.apiScopes,
        client.origin,
        client.secretHashes,
        client.introspects ?? [],
      ],
    );
  }

  async remove(clientId: string): Promise<void> {
    await this.pool.query(
      `WITH gone AS (DELETE FROM clients WHERE id = $1)
       UPDATE change_marks SET version = version + 1 WHERE topic = 'clients'`,
      [clientId],
    );
  }
}
