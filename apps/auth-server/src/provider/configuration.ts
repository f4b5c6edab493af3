import {
  type Adapter,
  type Client,
  type Configuration,
  errors,
  type FindAccount,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { PASSWORD_ACR } from '../accounts/claims.ts';
import type { RegisteredClient } from '../clients/client.ts';
import type { Addresses, AuthEnv } from '../env.ts';
import { claimsByScope } from './claims.ts';
import { cookieSettings } from './cookies.ts';
import { peoplePolicy } from './interaction-policy.ts';
import { type LifetimeSettings, lifetimes } from './lifetimes.ts';
import { keepOfflineAccess } from './offline-access.ts';
import { pageSources } from './page-sources.ts';
import type { ProviderPages } from './provider-pages.ts';
import { requireNonce, requireState } from './required-parameters.ts';
import { defaultResource, describeResource, requestedScopesOf } from './resources.ts';

export interface ProtocolParts {
  readonly env: LifetimeSettings &
    Pick<AuthEnv, 'AUTH_STRICT' | 'DYNAMIC_REGISTRATION' | 'COOKIE_KEYS'>;
  readonly addresses: Addresses;
  /** Keys in signing order. */
  readonly jwks: NonNullable<Configuration['jwks']>;
  readonly adapter: (model: string) => Adapter;
  readonly findAccount: FindAccount;
  readonly loadExistingGrant: NonNullable<Configuration['loadExistingGrant']>;
  /** What is known of a client beyond its metadata. */
  readonly registrationOf: (client: Client) => RegisteredClient | undefined;
  readonly pages: ProviderPages;
  readonly fetch: NonNullable<Configuration['fetch']>;
}

/** Paths below the issuer. */
export const routes = {
  authorization: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  introspection: '/introspect',
  revocation: '/revoke',
  pushed_authorization_request: '/par',
  device_authorization: '/device_authorization',
  code_verification: '/device',
  end_session: '/logout',
  registration: '/register',
} as const;

/** Signs unless a client asks for RS256. */
export const DEFAULT_ALGORITHM = 'ES256';
const OFFERED_ALGORITHMS = ['ES256', 'RS256'] as const;
/** What clients may sign with: assertions (RFC 7523) and DPoP proofs. No symmetric ones: secrets are stored hashed. */
const CLIENT_ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const;

/** The library's configuration. Nothing else decides what the protocol allows. */
export function protocolConfiguration(parts: ProtocolParts): Configuration {
  const { env, addresses, pages } = parts;
  const resources = {
    api: addresses.api,
    accessTokenTtlSeconds: env.ACCESS_TOKEN_TTL_S,
    signingAlgorithm: DEFAULT_ALGORITHM,
  };
  return {
    adapter: parts.adapter,
    jwks: parts.jwks,
    routes,
    cookies: cookieSettings(addresses, env.COOKIE_KEYS),
    ttl: lifetimes(env),
    scopes: ['openid', 'offline_access'],
    claims: claimsByScope,
    // The spec wants email and name in the id_token too.
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    subjectTypes: ['public'],
    acrValues: [PASSWORD_ACR],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    clientDefaults: {
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: DEFAULT_ALGORITHM,
    },
    enabledJWA: {
      idTokenSigningAlgValues: [...OFFERED_ALGORITHMS],
      clientAuthSigningAlgValues: [...CLIENT_ALGORITHMS],
      dPoPSigningAlgValues: ['ES256', 'EdDSA', 'RS256', 'PS256'],
    },
    clockTolerance: 15,
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: (_ctx, client) => env.AUTH_STRICT || client.clientAuthMethod === 'none' },
    extraParams: {
      scope: keepOfflineAccess,
      ...(env.AUTH_STRICT ? { state: requireState, nonce: requireNonce } : {}),
    },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // Reuse and sign-out end tokens; what the person consented to is theirs to withdraw.
    revokeGrantPolicy: () => false,
    findAccount: parts.findAccount,
    loadExistingGrant: parts.loadExistingGrant,
    interactions: {
      url: (_ctx, interaction) => `${addresses.mount}/interaction/${interaction.uid}`,
      policy: peoplePolicy(),
    },
    clientBasedCORS: isOriginOf,
    discovery: {
      ui_locales_supported: ['en'],
      claims_parameter_supported: true,
      prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
    },
    fetch: parts.fetch,
    renderError: pageSources(pages).renderError,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: mayRevoke },
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) =>
          mayIntrospect(client, token, parts.registrationOf(client)?.introspects ?? []),
      },
      userinfo: { enabled: true },
      claimsParameter: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      dPoP: { enabled: true },
      // Keys that sign by themselves. Experimental in name: the library will not start if it changes its meaning.
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      backchannelLogout: { enabled: true },
      registration: env.DYNAMIC_REGISTRATION
        ? { enabled: true, initialAccessToken: true, issueRegistrationAccessToken: false }
        : { enabled: false },
      rpInitiatedLogout: { enabled: true, ...pageSources(pages).logout },
      deviceFlow: {
        enabled: true,
        charset: 'base-20',
        mask: '****-****',
        ...pageSources(pages).device,
      },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        defaultResource: async (ctx, _client, oneOf) =>
          defaultResource(resources, ctx.oidc.params?.['scope'], oneOf) as string,
        getResourceServerInfo: async (ctx, indicator, client) =>
          describeResource(resources, indicator, {
            allowedScopes: parts.registrationOf(client)?.apiScopes ?? [],
            requestedScopes: requestedScopesOf(ctx),
          }),
      },
    },
  };
}

/** A browser application may call from the origins it is redirected to. */
function isOriginOf(_ctx: KoaContextWithOIDC, origin: string, client: Client): boolean {
  return (client.redirectUris ?? []).some(
    (uri) => URL.canParse(uri) && new URL(uri).origin === origin,
  );
}

interface OwnedToken {
  readonly clientId?: string | undefined;
  readonly aud?: string | readonly string[] | undefined;
}

/** A token is told about to its own client and to its resource server, to nobody else. */
function mayIntrospect(client: Client, token: OwnedToken, introspects: readonly string[]): boolean {
  if (token.clientId === client.clientId) return true;
  return [token.aud ?? []].flat().some((audience) => introspects.includes(audience));
}

async function mayRevoke(
  _ctx: KoaContextWithOIDC,
  client: Client,
  token: OwnedToken,
): Promise<boolean> {
  if (token.clientId === client.clientId) return true;
  // RFC 7009 section 2.1: refused. A public client is told nothing, it might be guessing.
  if (client.clientAuthMethod === 'none') return false;
  throw new errors.InvalidRequest('client is not authorized to revoke the presented token');
}
