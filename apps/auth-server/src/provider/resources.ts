import { errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import { API_SCOPES } from '../clients/client.ts';

export interface ResourceRules {
  /** Resource identifier of the API. */
  readonly api: string;
  readonly accessTokenTtlSeconds: number;
  readonly signingAlgorithm: string;
}

/** The resource of a request that names none: the API when one of its scopes is asked for. */
export function defaultResource(
  rules: ResourceRules,
  scope: unknown,
  oneOf: readonly string[] | undefined,
): string | undefined {
  if (oneOf) return oneOf.includes(rules.api) ? rules.api : oneOf[0];
  const scopes = typeof scope === 'string' ? scope.split(' ') : [];
  return scopes.some((name) => isApiScope(name)) ? rules.api : undefined;
}

/**
 * The API as the library wants it described, for one client. A scope that the client may not have is an error rather than a
 * token without it: a caller that asks for too much should learn it here and not at the API.
 */
export function describeResource(
  rules: ResourceRules,
  indicator: string,
  asked: { allowedScopes: readonly string[]; requestedScopes: Iterable<string> },
): ResourceServer {
  if (indicator !== rules.api) throw new errors.InvalidTarget();
  const refused = [...asked.requestedScopes].filter(
    (name) => isApiScope(name) && !asked.allowedScopes.includes(name),
  );
  if (refused.length > 0)
    throw new errors.InvalidScope('requested scope is not allowed', refused.join(' '));
  return {
    scope: asked.allowedScopes.join(' '),
    audience: rules.api,
    accessTokenTTL: rules.accessTokenTtlSeconds,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: rules.signingAlgorithm as 'ES256' } },
  };
}

/** The scopes a running request asks for. */
export function requestedScopesOf(ctx: KoaContextWithOIDC): string[] {
  const scope = ctx.oidc.params?.['scope'];
  return typeof scope === 'string' ? scope.split(' ') : [];
}

function isApiScope(name: string): boolean {
  return (API_SCOPES as readonly string[]).includes(name);
}
