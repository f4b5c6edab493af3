import { isSigned, sign } from './signing-secrets.ts';

/**
 * A browser that somebody signed in from before carries a signed cookie for that account. Wrong passwords from it have a
 * count of their own, so that strangers who fail on purpose cannot lock its owner out. The signature covers the moment of
 * the last password change: a changed password makes strangers of all browsers.
 */
export interface BrowserOwner {
  readonly id: string;
  readonly passwordChangedAt: Date;
}

/** People share computers; more accounts than this in one browser and the oldest is a stranger again. */
const ACCOUNTS_PER_BROWSER = 5;

/** The longest that browsers keep a cookie (RFC 6265bis 5.5). */
export const KNOWN_BROWSER_COOKIE_SECONDS = 400 * 86_400;

/** The browser's id for this account when the cookie proves that it was used before. */
export function recogniseBrowser(
  cookie: string | undefined,
  owner: BrowserOwner,
  secrets: readonly Buffer[],
): string | undefined {
  return marksOf(cookie).find(({ id, signature }) =>
    isSigned(secrets, claimOf(id, owner), signature),
  )?.id;
}

/** The cookie of a browser after its owner has signed in; undefined when it is known already and need not be set again. */
export function rememberBrowser(
  cookie: string | undefined,
  owner: BrowserOwner,
  secrets: readonly Buffer[],
  newId: string,
): string | undefined {
  if (recogniseBrowser(cookie, owner, secrets)) return undefined;
  const mark = { id: newId, signature: sign(secrets[0] as Buffer, claimOf(newId, owner)) };
  return [mark, ...marksOf(cookie)]
    .slice(0, ACCOUNTS_PER_BROWSER)
    .map(({ id, signature }) => `${id}.${signature}`)
    .join('~');
}

function claimOf(browserId: string, owner: BrowserOwner): string[] {
  return [browserId, owner.id, String(owner.passwordChangedAt.getTime())];
}

function marksOf(cookie: string | undefined): { id: string; signature: string }[] {
  return (cookie ?? '')
    .split('~', ACCOUNTS_PER_BROWSER)
    .map((mark) => /^([\w-]{16,32})\.([\w-]{43})$/.exec(mark))
    .filter((match) => match !== null)
    .map(([, id = '', signature = '']) => ({ id, signature }));
}
