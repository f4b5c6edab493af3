import { decodeJwt } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { API_SCOPES } from '../clients/client.ts';
import { JWKS_MAX_AGE_SECONDS } from '../keys/key-rotation.service.ts';
import { tokenValueOf } from '../store/record.ts';

const CACHEABLE = `public, max-age=${JWKS_MAX_AGE_SECONDS}`;

/** Changes the library's answers where ours differ, by endpoint. */
export function applyResponseRules(ctx: KoaContextWithOIDC): void {
  if (storeless.has(ctx) && ctx.status === 500) {
    answerUnavailable(ctx);
    return;
  }
  switch (ctx.oidc.route) {
    case 'jwks':
      if (ctx.status === 200) ctx.set('cache-control', CACHEABLE);
      break;
    case 'discovery':
      if (ctx.status === 200) completeMetadata(ctx);
      break;
    case 'introspection':
      if (ctx.status === 200) completeIntrospection(ctx);
      break;
    case 'revocation':
      // An empty text/plain body is an error to clients that expect JSON or nothing (RFC 7009 section 2.2 wants the status alone).
      if (ctx.status === 200) answerEmpty(ctx);
      break;
  }
}

const storeless = new WeakSet<object>();

/** Notes that a request failed because the database is away. */
export function noteStoreAway(ctx: KoaContextWithOIDC): void {
  storeless.add(ctx);
}

/** The store being away is no fault of the request: it may be sent again. */
function answerUnavailable(ctx: KoaContextWithOIDC): void {
  ctx.status = 503;
  ctx.set('retry-after', '2');
  if (typeof ctx.body === 'object' && ctx.body !== null)
    ctx.body = {
      error: 'temporarily_unavailable',
      error_description: 'the service is not available right now, try again in a moment',
    };
}

function completeMetadata(ctx: KoaContextWithOIDC): void {
  const metadata = ctx.body as { scopes_supported: string[] };
  ctx.body = { ...metadata, scopes_supported: [...metadata.scopes_supported, ...API_SCOPES] };
  ctx.set('cache-control', CACHEABLE);
}

/** What a JWT says of itself beyond what the library tells of opaque tokens (RFC 7662 section 2.2). */
function completeIntrospection(ctx: KoaContextWithOIDC): void {
  const answer = ctx.body as { active: boolean };
  const token = ctx.oidc.params?.['token'];
  if (!answer.active || typeof token !== 'string' || !token.includes('~')) return;
  const { sub, jti, status } = decodeJwt(tokenValueOf(token));
  ctx.body = { ...answer, sub, jti, status };
}

function answerEmpty(ctx: KoaContextWithOIDC): void {
  ctx.body = null;
  ctx.status = 200;
  ctx.set('content-length', '0');
}
