import type { RememberedConsent } from '../provider/consent-memory.ts';
import { describeClaims, describeScope, type ScopeWords } from './scope-words.ts';

/** What an application may do, in the protocol's terms. */
export type Allowed = RememberedConsent;

/** What the library says is missing (`details` of the consent prompt). */
export interface MissingDetails {
  readonly missingOIDCScope?: readonly string[];
  readonly missingOIDCClaims?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

/** What a consent page asks for: only what was not allowed before. */
export function toMissing(details: MissingDetails): Allowed {
  return {
    oidcScopes: details.missingOIDCScope ?? [],
    oidcClaims: details.missingOIDCClaims ?? [],
    resourceScopes: details.missingResourceScopes ?? {},
  };
}

/** Everything a request asks for, allowed before or not, in the words of its scopes. */
export function describeRequested(scope: unknown): ScopeWords[] {
  const scopes = typeof scope === 'string' ? [...new Set(scope.split(' ').filter(Boolean))] : [];
  return scopes.map(describeScope);
}

export function isNothing({ oidcScopes, oidcClaims, resourceScopes }: Allowed): boolean {
  return (
    oidcScopes.length === 0 &&
    oidcClaims.length === 0 &&
    Object.values(resourceScopes).every((scopes) => scopes.length === 0)
  );
}

/** Both together, each permission once. */
export function mergeAllowed(one: Allowed, other: Allowed): Allowed {
  const indicators = new Set([
    ...Object.keys(one.resourceScopes),
    ...Object.keys(other.resourceScopes),
  ]);
  return {
    oidcScopes: union(one.oidcScopes, other.oidcScopes),
    oidcClaims: union(one.oidcClaims, other.oidcClaims),
    resourceScopes: Object.fromEntries(
      [...indicators].map((indicator) => [
        indicator,
        union(one.resourceScopes[indicator] ?? [], other.resourceScopes[indicator] ?? []),
      ]),
    ),
  };
}

function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])];
}

/** Claims that a granted scope covers already need no line of their own. */
const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  address: ['address'],
};

/**
 * The permissions in words, in a steady order. An API other than ours is named, for its scopes may have the names of ours.
 */
export function describeAllowed(allowed: Allowed, ownApi: string): ScopeWords[] {
  const { oidcScopes, oidcClaims, resourceScopes } = allowed;
  const covered = new Set(oidcScopes.flatMap((scope) => CLAIMS_OF_SCOPE[scope] ?? []));
  const claims = oidcClaims.filter((claim) => !covered.has(claim));
  return [
    ...oidcScopes.filter((scope) => scope !== 'offline_access').map(describeScope),
    ...(claims.length > 0 ? [describeClaims(claims)] : []),
    ...Object.entries(resourceScopes).flatMap(([indicator, scopes]) =>
      scopes.map((scope) => describeResourceScope(indicator, scope, ownApi)),
    ),
    ...oidcScopes.filter((scope) => scope === 'offline_access').map(describeScope),
  ];
}

function describeResourceScope(indicator: string, scope: string, ownApi: string): ScopeWords {
  const { title, detail } = describeScope(scope);
  if (indicator === ownApi) return describeScope(scope);
  return { title, detail: [detail, `at ${indicator}`].filter(Boolean).join(', ') };
}
