import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import type { Page, ProviderPages } from './provider-pages.ts';

/** Endpoints for programs: they are answered in JSON whatever `Accept` says. */
const MACHINE_ROUTES = new Set([
  'token',
  'userinfo',
  'jwks',
  'discovery',
  'introspection',
  'revocation',
  'pushed_authorization_request',
  'device_authorization',
  'registration',
  'client',
]);

interface ErrorOut {
  readonly error: string;
  readonly error_description?: string | undefined;
}

/** The library's page hooks, filled from the pages. */
export function pageSources(pages: ProviderPages) {
  const send = (ctx: KoaContextWithOIDC, page: Page) => {
    ctx.type = 'html';
    ctx.set({ ...page.headers });
    ctx.body = page.html;
  };
  return {
    renderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
      if (MACHINE_ROUTES.has(ctx.oidc.route)) {
        ctx.body = out;
        return;
      }
      const error = { error: out.error, description: out.error_description };
      send(ctx, pages.error(ctx, error, ctx.status));
    },
    logout: {
      logoutSource: async (ctx: KoaContextWithOIDC, form: string) =>
        send(ctx, pages.signOut(ctx, form)),
      postLogoutSuccessSource: async (ctx: KoaContextWithOIDC) => send(ctx, pages.signedOut(ctx)),
    },
    device: {
      userCodeInputSource: async (
        ctx: KoaContextWithOIDC,
        form: string,
        out?: ErrorOut,
        error?: errors.OIDCProviderError | Error,
      ) => {
        if (!hasLostSession(ctx)) {
          return send(ctx, pages.deviceInput(ctx, form, error && faultOf(error)));
        }
        (ctx.oidc.session as { touched?: boolean }).touched = false;
        const { error: code = 'invalid_request', error_description } = out ?? {};
        send(ctx, pages.error(ctx, { error: code, description: error_description }, ctx.status));
      },
      userCodeConfirmSource: async (
        ctx: KoaContextWithOIDC,
        form: string,
        _client: unknown,
        _deviceInfo: unknown,
        userCode: string,
      ) => send(ctx, pages.deviceConfirm(ctx, form, userCode)),
      successSource: async (ctx: KoaContextWithOIDC) => send(ctx, pages.deviceDone(ctx)),
    },
  };
}

/**
 * A browser without a session that comes to a resumed device request: the library asks for the form when the session's time to
 * be stored has passed, and then fails on a session that was never stored. The form could not be answered either.
 */
function hasLostSession({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.route === 'device_resume' && typeof oidc.session?.exp !== 'number';
}

function faultOf(error: Error & { userCode?: string }): string {
  if (error.userCode || error.name === 'NoCodeError')
    return 'That code is not right. Check it and try again.';
  if (error.name === 'AbortedError') return 'You declined the request.';
  return 'The request could not be completed. Start again on your device.';
}
