import { errors, type KoaContextWithOIDC } from 'oidc-provider';

/** Endpoints where an application starts a sign-in in a browser; the device flow has neither state nor nonce. */
const FRONT_CHANNEL = new Set(['authorization', 'pushed_authorization_request']);

/** `state` is required of every authorization request (RFC 6749 section 10.12). */
export function requireState(ctx: KoaContextWithOIDC, state: string | undefined): void {
  if (FRONT_CHANNEL.has(ctx.oidc.route) && !state)
    throw new errors.InvalidRequest('state is required');
}

/** `nonce` is required wherever an id_token will follow. */
export function requireNonce(ctx: KoaContextWithOIDC, nonce: string | undefined): void {
  const scope = ctx.oidc.params?.['scope'];
  const wantsIdToken = typeof scope === 'string' && scope.split(' ').includes('openid');
  if (FRONT_CHANNEL.has(ctx.oidc.route) && wantsIdToken && !nonce)
    throw new errors.InvalidRequest('nonce is required for scope openid');
}
