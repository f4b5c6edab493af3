import type { CachedLink } from './cached-link.ts';

/** Longest that a browser keeps a permanent redirect, in seconds: an edit or a ban has to reach it some day. */
const PERMANENT_MAX_AGE = 3_600;

export interface RedirectHead {
  readonly status: 301 | 302;
  readonly cacheControl: string;
}

/** A counted visit has to come to us each time; an uncounted one may be answered by the browser, but never past the expiry. */
const COUNTED: RedirectHead = { status: 302, cacheControl: 'private, no-store' };

export function redirectHeadOf(link: CachedLink, now: number): RedirectHead {
  if (link.trackClicks) return COUNTED;
  const secondsLeft = Math.floor((link.expiresAt - now) / 1_000);
  return {
    status: 301,
    cacheControl: `public, max-age=${Math.min(PERMANENT_MAX_AGE, secondsLeft)}`,
  };
}
