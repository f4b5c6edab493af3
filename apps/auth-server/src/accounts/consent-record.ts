import type { RememberedConsent } from '../provider/consent-memory.ts';

/** What a person allows an application from now on. */
export interface GivenConsent {
  readonly accountId: string;
  readonly clientId: string;
  readonly allowed: RememberedConsent;
}

/**
 * SQL with three parameters from `$first` on: account, application, what is allowed. Returns a row, or none when the account or the
 * application is gone or `condition` does not hold.
 */
export function rememberConsent(first: number, condition: string): string {
  return `INSERT INTO consents (account_id, client_id, allowed)
    SELECT accounts.id, clients.id, $${first + 2} FROM accounts, clients
      WHERE accounts.id = $${first} AND accounts.disabled_at IS NULL AND clients.id = $${first + 1} AND ${condition}
    ON CONFLICT (account_id, client_id) DO UPDATE SET allowed = EXCLUDED.allowed, updated_at = now() RETURNING 1`;
}

export function consentParameters({ accountId, clientId, allowed }: GivenConsent): string[] {
  return [accountId, clientId, JSON.stringify(allowed)];
}

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
