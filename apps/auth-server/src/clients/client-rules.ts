import type { RegisterClient } from '@gatepost/contracts';

/** A client as an operator describes it, whatever its id. */
export type ClientDescription = Omit<RegisterClient, 'clientId'>;

export interface ClientFault {
  /** JSON Pointer to the member. */
  readonly pointer: string;
  readonly detail: string;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** What is wrong with a client beyond the shape of its members. */
export function judgeClient(client: ClientDescription): ClientFault[] {
  return [
    ...client.redirectUris.flatMap((uri, index) =>
      faultOf(`/redirectUris/${index}`, judgeRedirectUri(uri, client.applicationType)),
    ),
    ...client.postLogoutRedirectUris.flatMap((uri, index) =>
      faultOf(`/postLogoutRedirectUris/${index}`, judgeRedirectUri(uri, client.applicationType)),
    ),
    ...judgeGrants(client),
    ...judgeAuthentication(client),
    ...(client.backchannelLogoutUri?.includes('#')
      ? [{ pointer: '/backchannelLogoutUri', detail: 'must not have a fragment' }]
      : []),
  ];
}

/**
 * What is wrong with a redirect URI; undefined when nothing is. It is compared as it stands, so it must be an absolute URI without
 * fragment, over https or to the user's own machine; native applications may have a scheme of their own (RFC 8252 section 7.1).
 */
export function judgeRedirectUri(
  uri: string,
  applicationType: 'web' | 'native',
): string | undefined {
  // Controls and spaces would be dropped by parsers, and what is compared would not be what is visited.
  if (!URL.canParse(uri) || /[\p{Cc}\s]/u.test(uri)) return 'must be an absolute URI';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'must not have a fragment';
  if (uri.includes('*')) return 'is compared exactly; wildcards do not exist';
  if (username || password) return 'must not have credentials';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:')
    return LOOPBACK.test(hostname) ? undefined : 'must use https, or http to a loopback address';
  if (applicationType === 'native' && /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol))
    return undefined;
  return applicationType === 'native'
    ? 'must use https, http to a loopback address, or a scheme that is a reversed domain name'
    : 'must use https, or http to a loopback address';
}

function judgeGrants({
  grantTypes,
  redirectUris,
  authentication,
}: ClientDescription): ClientFault[] {
  const has = (grant: ClientDescription['grantTypes'][number]) => grantTypes.includes(grant);
  const faults: ClientFault[] = [];
  if (has('authorization_code') && redirectUris.length === 0)
    faults.push({ pointer: '/redirectUris', detail: 'authorization_code needs at least one' });
  if (!has('authorization_code') && redirectUris.length > 0)
    faults.push({ pointer: '/redirectUris', detail: 'are of use with authorization_code only' });
  if (has('client_credentials') && authentication === 'none')
    faults.push({
      pointer: '/authentication',
      detail: 'client_credentials needs a client that authenticates',
    });
  const startsFamily =
    has('authorization_code') || has('urn:ietf:params:oauth:grant-type:device_code');
  if (has('refresh_token') && !startsFamily)
    faults.push({
      pointer: '/grantTypes',
      detail: 'refresh_token goes with authorization_code or device_code',
    });
  return faults;
}

function judgeAuthentication(client: ClientDescription): ClientFault[] {
  const { authentication, jwks, jwksUri } = client;
  if (authentication === 'private_key_jwt') {
    if (!jwks === !jwksUri)
      return [{ pointer: '/jwks', detail: 'private_key_jwt needs either jwks or jwksUri' }];
    const isPrivate = jwks?.keys.some((key) => 'd' in key || 'k' in key || 'p' in key);
    return isPrivate ? [{ pointer: '/jwks', detail: 'must hold public keys only' }] : [];
  }
  if (jwks || jwksUri) return [{ pointer: '/jwks', detail: 'is of use with private_key_jwt only' }];
  if (authentication === 'none' && client.introspects.length > 0)
    return [{ pointer: '/introspects', detail: 'needs a client that authenticates' }];
  return [];
}

function faultOf(pointer: string, detail: string | undefined): ClientFault[] {
  return detail ? [{ pointer, detail }] : [];
}
