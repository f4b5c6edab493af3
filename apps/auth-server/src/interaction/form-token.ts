import { isSigned, sign } from '../accounts/signing-secrets.ts';

/**
 * What a form is bound to: an interaction (whose cookie only the browser that began it has), a session, or, before there
 * is either, a visit. A form made for one cannot be sent for another.
 */
export type FormBinding =
  | { readonly interaction: string }
  | { readonly session: string }
  | { readonly visit: string };

export function makeFormToken(binding: FormBinding, secrets: readonly Buffer[]): string {
  return sign(secrets[0] as Buffer, partsOf(binding));
}

export function isFormToken(
  token: string | undefined,
  binding: FormBinding,
  secrets: readonly Buffer[],
): boolean {
  return token !== undefined && isSigned(secrets, partsOf(binding), token);
}

function partsOf(binding: FormBinding): string[] {
  return Object.entries(binding).flat();
}

/**
 * Whether a form was sent from one of our own pages, by what the browser itself says (Fetch Metadata). Beside the token,
 * not instead of it: old browsers say nothing. Our pages send no referrer, and browsers then say `Origin: null`.
 */
export function isSentFromHere(
  headers: { readonly 'sec-fetch-site'?: unknown; readonly origin?: unknown },
  ownOrigin: string,
): boolean {
  const site = headers['sec-fetch-site'];
  // `none`: the person reloaded the answer to a form that they had sent before.
  if (typeof site === 'string') return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  return typeof origin !== 'string' || origin === 'null' || origin === ownOrigin;
}
