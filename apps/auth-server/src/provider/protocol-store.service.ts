import { Injectable } from '@nestjs/common';
import { ClientRegistry } from '../clients/client-registry.service.ts';
import { toRow } from '../store/record.ts';
import { RecordsRepository } from '../store/records.repository.ts';
import { AccessTokenIssuance, type IssuedToken } from './access-token-issuance.service.ts';
import type { SeamParts } from './library-seam.ts';
import type { LocalSigningKey } from './local-signing-key.ts';
import { ProtocolAdapters } from './protocol-adapters.service.ts';

/** What the library reads and writes beyond its adapter. */
@Injectable()
export class ProtocolStore {
  constructor(
    private readonly records: RecordsRepository,
    private readonly issuance: AccessTokenIssuance,
    private readonly clients: ClientRegistry,
    readonly adapters: ProtocolAdapters,
  ) {}

  /** `accessTokenKey` signs the access tokens of the provider that is built. */
  seamParts(accessTokenKey: LocalSigningKey): SeamParts {
    return {
      findClient: (clientId) => this.clients.find(clientId),
      isSecretOf: (client, secret) => this.clients.isSecretOf(client, secret, new Date()),
      issueJwt: (token) => this.issuance.issue(token as IssuedToken, accessTokenKey),
      markSeen: (id, expiresAt) => this.markSeen(id, expiresAt),
    };
  }

  private markSeen(id: string, expiresAt: Date): Promise<boolean> {
    const record = { kind: 'ReplayDetection', id, payload: {}, expiresAt };
    return this.records.insertOnce(toRow(record, this.adapters.secrets));
  }
}
