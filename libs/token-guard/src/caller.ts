import { type AccessTokenClaims, ownerOf } from './access-token.ts';

/** Who makes a request, as its access token says. */
export interface Caller {
  /** `user:<sub>` or `client:<client_id>`. */
  readonly owner: string;
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
}

/** Kept beside the requests, not in them: no name to collide with, and nothing that a header could forge. */
const callers = new WeakMap<object, Caller>();

export function toCaller(claims: AccessTokenClaims): Caller {
  const { subject, clientId, scopes } = claims;
  return { owner: ownerOf(claims), subject, clientId, scopes };
}

export function rememberCaller(request: object, caller: Caller): void {
  callers.set(request, caller);
}

/** The caller of a request that passed the guard; undefined for an anonymous one. */
export function callerOf(request: object): Caller | undefined {
  return callers.get(request);
}
