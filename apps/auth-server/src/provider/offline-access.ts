import { decodeJwt } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * The library drops `offline_access` unless `prompt=consent` is sent along. OpenID Connect Core section 11 leaves room for other
 * conditions; ours is that the consent page asks for it by name. So what was asked for is put back, and consented to like any scope.
 */
export function keepOfflineAccess(ctx: KoaContextWithOIDC, scope: string | undefined): void {
  const { client, params } = ctx.oidc;
  if (!client?.grantTypeAllowed('refresh_token') || !params) return;
  const granted = scope?.split(' ') ?? [];
  if (granted.includes('offline_access') || !scopeSent(ctx).includes('offline_access')) return;
  params['scope'] = [...granted, 'offline_access'].join(' ');
}

/** The scope as the client sent it, in the query, the pushed request or the body that pushes it. */
function scopeSent(ctx: KoaContextWithOIDC): string[] {
  const { body, entities } = ctx.oidc;
  const pushed = entities.PushedAuthorizationRequest?.request;
  const scope = pushed ? decodeJwt(pushed)['scope'] : (body?.['scope'] ?? ctx.query['scope']);
  return typeof scope === 'string' ? scope.split(' ') : [];
}
