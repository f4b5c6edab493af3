import type { KoaContextWithOIDC } from 'oidc-provider';

export interface Page {
  readonly html: string;
  /** Header fields that the page needs: its Content-Security-Policy, for one. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An error for a person: an OAuth code and a sentence that hides internals. */
export interface PageError {
  readonly error: string;
  readonly description: string | undefined;
}

/**
 * The pages that belong to protocol endpoints. `form` is the library's own form (`op.logoutForm`, `op.deviceInputForm`,
 * `op.deviceConfirmForm`) with its action and its anti-forgery value; a page puts its buttons into it by `form="…"`.
 */
export abstract class ProviderPages {
  /** Header fields of every answer at a browser endpoint. */
  abstract headers(): Readonly<Record<string, string>>;
  /** A page that the library made itself, in our clothes; any other page as it is. */
  abstract dress(html: string): string;
  abstract error(ctx: KoaContextWithOIDC, error: PageError, status: number): Page;
  abstract signOut(ctx: KoaContextWithOIDC, form: string): Page;
  abstract signedOut(ctx: KoaContextWithOIDC): Page;
  abstract deviceInput(ctx: KoaContextWithOIDC, form: string, fault: string | undefined): Page;
  /** The device's code came with a link (`verification_uri_complete`, RFC 8628 section 3.3.1): to be compared before it is sent. */
  abstract deviceLink(ctx: KoaContextWithOIDC, userCode: string): Page;
  abstract deviceConfirm(ctx: KoaContextWithOIDC, form: string, userCode: string): Page;
  abstract deviceDone(ctx: KoaContextWithOIDC): Page;
}
