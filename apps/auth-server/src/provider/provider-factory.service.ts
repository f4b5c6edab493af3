import { Inject, Injectable } from '@nestjs/common';
import { type FindAccount, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { ADDRESSES, ENV } from '../app.tokens.ts';
import type { Addresses, AuthEnv } from '../env.ts';
import { DEFAULT_ALGORITHM, protocolConfiguration } from './configuration.ts';
import { loadExistingGrant } from './existing-grant.ts';
import { joinLibrary, registrationOf } from './library-seam.ts';
import type { LocalSigningKey } from './local-signing-key.ts';
import { outgoingFetch } from './outgoing-fetch.ts';
import { ProtocolStore } from './protocol-store.service.ts';
import { ProviderSurroundings } from './provider-surroundings.ts';

/** Builds providers: all of one process are alike but for their keys. */
@Injectable()
export class ProviderFactory {
  constructor(
    @Inject(ENV) private readonly env: AuthEnv,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
    private readonly store: ProtocolStore,
    private readonly around: ProviderSurroundings,
  ) {}

  /** `keys` in signing order. */
  build(keys: readonly LocalSigningKey[]): Provider {
    const { env, addresses, store, around } = this;
    const provider = new Provider(
      addresses.issuer,
      protocolConfiguration({
        env,
        addresses,
        jwks: { keys: [...keys] },
        adapter: (model) => store.adapters.adapterFor(model),
        findAccount: (ctx, sub) => around.accounts.findAccount(ctx, sub) as ReturnType<FindAccount>,
        loadExistingGrant: (ctx: KoaContextWithOIDC) => loadExistingGrant(ctx, around.consents),
        registrationOf,
        fetch: outgoingFetch(env.BACKCHANNEL_HOSTS),
        pages: around.pages,
      }),
    );
    provider.proxy = true;
    const accessTokenKey = keys.find(({ alg }) => alg === DEFAULT_ALGORITHM);
    if (!accessTokenKey) throw new Error(`there is no ${DEFAULT_ALGORITHM} key to sign with`);
    joinLibrary(provider, store.seamParts(accessTokenKey));
    around.extensions.joinTo(provider);
    return provider;
  }
}
