import { hash } from 'node:crypto';

/** Registration metadata in the names of RFC 7591, without client_id and client_secret. */
export type ClientMetadata = Readonly<Record<string, unknown>>;

/** Scopes of the API that a client may be allowed. */
export const API_SCOPES = ['links:read', 'links:write'] as const;

/** A registered application as the protocol sees it. */
export interface RegisteredClient {
  readonly clientId: string;
  /** What the library is given: metadata, id and, for confidential clients, a stand-in for the secret. */
  readonly metadata: Record<string, unknown>;
  readonly apiScopes: readonly string[];
  /** Resource identifiers whose tokens it may introspect, being their resource server. */
  readonly introspects: readonly string[];
  readonly secrets: readonly SecretHash[];
}

export interface SecretHash {
  readonly hash: Buffer;
  /** Absent: valid until it is removed. */
  readonly expiresAt: Date | null;
}

/** Authentication methods that need a shared secret. */
const SECRET_METHODS = new Set(['client_secret_basic', 'client_secret_post']);

export function needsSecret(metadata: ClientMetadata): boolean {
  return SECRET_METHODS.has(
    String(metadata['token_endpoint_auth_method'] ?? 'client_secret_basic'),
  );
}

/** A secret of 256 random bits needs no slow hash: there is nothing to guess. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
