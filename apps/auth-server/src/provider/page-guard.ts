import type { KoaContextWithOIDC } from 'oidc-provider';
import { routes } from './configuration.ts';
import type { ProviderPages } from './provider-pages.ts';

/** Endpoints that people see; each with what lies below it. */
const BROWSER_PATHS = [routes.authorization, routes.code_verification, routes.end_session];

/** Longer than any code with its dashes; a link can hold anything. */
const LONGEST_CODE = 20;

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
  const userCode = codeOfLink(ctx);
  if (userCode !== undefined) {
    // The library's own page sends the form by itself; people would be a script away from somebody else's device.
    const page = pages.deviceLink(ctx, userCode);
    ctx.set({ ...page.headers });
    ctx.body = page.html;
    return;
  }
  if (typeof ctx.body === 'string' && ctx.type === 'text/html') ctx.body = pages.dress(ctx.body);
}

/** The code that a device put into its link, where the link is being opened. */
function codeOfLink(ctx: KoaContextWithOIDC): string | undefined {
  if (ctx.oidc?.route !== 'code_verification' || ctx.method === 'POST' || ctx.status !== 200)
    return undefined;
  const code = ctx.oidc.params?.['user_code'];
  return typeof code === 'string' && code !== '' ? code.slice(0, LONGEST_CODE) : undefined;
}
