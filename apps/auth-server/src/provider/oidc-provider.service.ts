import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Provider } from 'oidc-provider';
import { fingerprintOf, inSigningOrder, type SigningKey } from '../keys/signing-keys.ts';
import { LocalSigningKey } from './local-signing-key.ts';
import { ProviderFactory } from './provider-factory.service.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The protocol library, rebuilt on the same store whenever the keys or their order change. */
@Injectable()
export class OidcProvider {
  private built: { provider: Provider; handle: Handle; fingerprint: string } | undefined;

  constructor(private readonly factory: ProviderFactory) {}

  /** The provider of this moment. Ask again for each request. */
  get current(): Provider {
    return this.now.provider;
  }

  /** Answers a protocol request whose path is relative to the issuer. */
  handle(request: IncomingMessage, response: ServerResponse): unknown {
    return this.now.handle(request, response);
  }

  /** Signs with the keys as they are at `at`. Requests under way finish with the provider they began with. */
  use(keys: readonly SigningKey[], at: Date): void {
    const ordered = inSigningOrder(keys, at);
    const fingerprint = fingerprintOf(ordered);
    if (this.built?.fingerprint === fingerprint) return;
    const provider = this.factory.build(ordered.map((key) => new LocalSigningKey(key)));
    this.built = { provider, handle: provider.callback(), fingerprint };
  }

  private get now() {
    if (!this.built) throw new Error('the provider is asked for before its keys were read');
    return this.built;
  }
}
