import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Adapter } from 'oidc-provider';
import { ENV } from '../app.tokens.ts';
import { ClientRegistry } from '../clients/client-registry.service.ts';
import type { AuthEnv } from '../env.ts';
import { Sealing } from '../keys/sealing.ts';
import { OidcAdapter } from '../store/oidc-adapter.ts';
import type { RecordSecrets } from '../store/record.ts';
import { RecordStore } from '../store/record-store.ts';
import { RefreshGrace, WithinGrace } from './refresh-grace.service.ts';
import { requestWork } from './request-works.ts';
import { interactionToCome, routeOfRequest } from './running-request.ts';

/** The library's store, joined to the request that is running. */
@Injectable()
export class ProtocolAdapters {
  readonly secrets: RecordSecrets;

  constructor(
    private readonly store: RecordStore,
    private readonly clients: ClientRegistry,
    private readonly grace: RefreshGrace,
    @Inject(ENV) private readonly env: Pick<AuthEnv, 'ENCRYPTION_KEYS' | 'REFRESH_ABSOLUTE_TTL_S'>,
  ) {
    this.secrets = {
      sealing: new Sealing(env.ENCRYPTION_KEYS, 'protocol records'),
      userCodeKeys: env.ENCRYPTION_KEYS.map((key) =>
        createHmac('sha256', key).update('gatepost user codes').digest(),
      ),
    };
  }

  adapterFor(model: string): Adapter {
    return new OidcAdapter(model, {
      ...this.store,
      clients: this.clients,
      secrets: this.secrets,
      refreshAbsoluteTtlSeconds: this.env.REFRESH_ABSOLUTE_TTL_S,
      work: requestWork,
      interactionToCome,
      isTokenRequest: () => routeOfRequest() === 'token',
      refuseWithinGrace: (consumedAt, payload) => {
        // Introspection and revocation look refresh tokens up as well; only the token endpoint answers them.
        const isAnswered = routeOfRequest() === 'token';
        if (isAnswered && this.grace.applies(consumedAt, payload, Date.now()))
          throw new WithinGrace('used before, within the grace window');
      },
      now: Date.now,
    });
  }
}
