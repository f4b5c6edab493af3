import type { KoaContextWithOIDC } from 'oidc-provider';
import { routes } from './configuration.ts';
import type { ProviderPages } from './provider-pages.ts';

/** Endpoints that people see; each with what lies below it. */
const BROWSER_PATHS = [routes.authorization, routes.code_verification, routes.end_session];

/**
 * Puts the header fields of pages on every answer of a browser endpoint, before the library answers: it makes some pages
 * itself (forms that send themselves), and adds the hash of their script to the policy that it finds.
 */
export function guardPages(pages: ProviderPages) {
  return (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<unknown> => {
    const isPage = BROWSER_PATHS.some(
      (path) => ctx.path === path || ctx.path.startsWith(`${path}/`),
    );
    return isPage ? guardPage(pages, ctx, next) : next();
  };
}

async function guardPage(
  pages: ProviderPages,
  ctx: KoaContextWithOIDC,
  next: () => Promise<unknown>,
): Promise<void> {
  ctx.set({ ...pages.headers() });
  await next();
  if (typeof ctx.body === 'string' && ctx.type === 'text/html') ctx.body = pages.dress(ctx.body);
}
