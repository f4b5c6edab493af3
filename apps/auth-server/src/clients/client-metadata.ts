import type { ClientMetadata } from './client.ts';
import type { ClientDescription } from './client-rules.ts';

type StoredPart = Omit<ClientDescription, 'apiScopes' | 'introspects'>;

/** A description in the names of RFC 7591, as the library takes it. Absent members are left out. */
export function toMetadata(client: StoredPart): ClientMetadata {
  const members: Record<string, unknown> = {
    client_name: client.name,
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    grant_types: client.grantTypes,
    // Only the code flow has a response from the authorization endpoint.
    response_types: client.grantTypes.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: client.authentication,
    application_type: client.applicationType,
    id_token_signed_response_alg: client.idTokenAlgorithm,
    jwks: client.jwks,
    jwks_uri: client.jwksUri,
    backchannel_logout_uri: client.backchannelLogoutUri,
    backchannel_logout_session_required: client.backchannelLogoutUri
      ? client.backchannelLogoutSessionRequired
      : null,
    require_pushed_authorization_requests: client.requirePushedAuthorizationRequests || null,
    dpop_bound_access_tokens: client.dpopBoundAccessTokens || null,
    client_uri: client.clientUri,
    logo_uri: client.logoUri,
    policy_uri: client.policyUri,
    tos_uri: client.tosUri,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** The description that metadata stand for; what is absent has the library's defaults. */
export function fromMetadata(metadata: ClientMetadata): StoredPart {
  const text = (name: string) => (metadata[name] as string | undefined) ?? null;
  const texts = (name: string) => (metadata[name] as string[] | undefined) ?? [];
  return {
    name: text('client_name') ?? '',
    redirectUris: texts('redirect_uris'),
    postLogoutRedirectUris: texts('post_logout_redirect_uris'),
    grantTypes: ((metadata['grant_types'] as string[] | undefined) ?? [
      'authorization_code',
    ]) as StoredPart['grantTypes'],
    authentication: (text('token_endpoint_auth_method') ??
      'client_secret_basic') as StoredPart['authentication'],
    applicationType: (text('application_type') ?? 'web') as StoredPart['applicationType'],
    idTokenAlgorithm: (text('id_token_signed_response_alg') ??
      'ES256') as StoredPart['idTokenAlgorithm'],
    jwks: (metadata['jwks'] as StoredPart['jwks']) ?? null,
    jwksUri: text('jwks_uri'),
    backchannelLogoutUri: text('backchannel_logout_uri'),
    backchannelLogoutSessionRequired: metadata['backchannel_logout_session_required'] === true,
    requirePushedAuthorizationRequests: metadata['require_pushed_authorization_requests'] === true,
    dpopBoundAccessTokens: metadata['dpop_bound_access_tokens'] === true,
    clientUri: text('client_uri'),
    logoUri: text('logo_uri'),
    policyUri: text('policy_uri'),
    tosUri: text('tos_uri'),
  };
}
