import { Injectable } from '@nestjs/common';
import { errors } from 'oidc-provider';
import { type ClientMetadata, needsSecret } from '../clients/client.ts';
import { ClientCheck } from '../clients/client-check.ts';
import { OidcProvider } from './oidc-provider.service.ts';

/** Asks the library itself. */
@Injectable()
export class LibraryClientCheck extends ClientCheck {
  constructor(private readonly provider: OidcProvider) {
    super();
  }

  async refusalOf(clientId: string, metadata: ClientMetadata): Promise<string | undefined> {
    const { Client } = this.provider.current as unknown as {
      Client: { validate(metadata: object): Promise<void> };
    };
    try {
      await Client.validate({
        ...metadata,
        client_id: clientId,
        ...(needsSecret(metadata)
          ? { client_secret: 'a secret of sufficient length for the check' }
          : {}),
      });
      return undefined;
    } catch (error) {
      if (error instanceof errors.OIDCProviderError)
        return error.error_description ?? error.message;
      throw error;
    }
  }
}
