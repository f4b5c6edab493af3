import type { RememberedConsent } from '../provider/consent-memory.ts';

export const NOTHING_ALLOWED: RememberedConsent = {
  oidcScopes: [],
  oidcClaims: [],
  resourceScopes: {},
};

/** Reads a consent as it was stored; anything of another shape counts as nothing allowed. */
export function readConsent(stored: unknown): RememberedConsent {
  if (typeof stored !== 'object' || stored === null) return NOTHING_ALLOWED;
  const { oidcScopes, oidcClaims, resourceScopes } = stored as Record<string, unknown>;
  return {
    oidcScopes: readList(oidcScopes),
    oidcClaims: readList(oidcClaims),
    resourceScopes: Object.fromEntries(
      Object.entries((resourceScopes ?? {}) as Record<string, unknown>).map(([indicator, list]) => [
        indicator,
        readList(list),
      ]),
    ),
  };
}

function readList(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}
