import type { Logger } from '@gatepost/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { SessionAuthorization } from '../accounts/access.repository.ts';
import { LOGGER } from '../app.tokens.ts';
import { OidcProvider } from '../provider/oidc-provider.service.ts';
import { hashId } from '../store/record.ts';
import { RecordsRepository } from '../store/records.repository.ts';

interface LogoutReceiver {
  readonly backchannelLogoutUri?: string;
  backchannelLogout(accountId: string, sid: string | undefined): Promise<void>;
}

/** Ends grants and tells applications that a session is over. */
@Injectable()
export class GrantRevocation {
  constructor(
    private readonly records: RecordsRepository,
    private readonly provider: OidcProvider,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Ends every token of the grants, those that resource servers check by themselves included; the grants stay. */
  async endTokens(grantIds: readonly string[]): Promise<void> {
    for (const grantId of grantIds) await this.records.revokeGrant(hashId(grantId), grantId);
  }

  /** Ends the grants and every token of theirs. */
  async revoke(grantIds: readonly string[]): Promise<void> {
    for (const grantId of grantIds) {
      // The grant first: no token can be made of it any more when its tokens are deleted.
      await this.records.destroy('Grant', hashId(grantId));
      await this.records.revokeGrant(hashId(grantId), grantId);
    }
  }

  /** Back-channel logout (OpenID Connect Back-Channel Logout 1.0). Nobody waits for slow applications. */
  async tellClients(
    accountId: string,
    authorizations: readonly SessionAuthorization[],
  ): Promise<void> {
    for (const { clientId, sid } of authorizations) {
      const client = (await this.provider.current.Client.find(clientId)) as
        | (LogoutReceiver & object)
        | undefined;
      if (!client?.backchannelLogoutUri) continue;
      client.backchannelLogout(accountId, sid).catch((error: unknown) => {
        this.logger.warn({ err: error, clientId }, 'an application did not take the logout notice');
      });
    }
  }
}
