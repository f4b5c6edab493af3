/** What a verified access token says (RFC 9068 §2.2), in the words of this code. Times are Unix seconds. */
export interface AccessTokenClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
  readonly audience: readonly string[];
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number;
  readonly issuedAt: number;
  readonly tokenId: string;
  /** Where the issuer says whether the token still stands (Token Status List). */
  readonly status: StatusReference | undefined;
  /** RFC 9449 §6.1: thumbprint of the key whose proof must come along with the token. */
  readonly keyThumbprint: string | undefined;
}

export interface StatusReference {
  readonly uri: string;
  readonly index: number;
}

/** Why a token is refused, with the sentence that its bearer may read (RFC 6750 §3: no quotes, no backslashes). */
export const tokenRefusals = {
  malformed: 'The access token is not a signed JWT.',
  'wrong-type': 'The token is not an access token (typ at+jwt).',
  'wrong-algorithm': 'The signature algorithm of the access token is not accepted.',
  'unknown-key': 'The access token is signed by a key that its issuer does not publish.',
  'wrong-signature': 'The signature of the access token is wrong.',
  'wrong-issuer': 'The access token comes from another issuer.',
  'wrong-audience': 'The access token is meant for another audience.',
  expired: 'The access token has expired.',
  'not-yet-valid': 'The access token is not valid yet.',
  'missing-claim': 'The access token lacks a required claim.',
  'unknown-confirmation': 'The access token is bound in a way that is not supported here.',
  'foreign-status-list': 'The access token names a status list that is not its issuer’s.',
  'missing-status': 'The access token does not say where its status is published.',
  revoked: 'The access token has been revoked.',
  'proof-required': 'The access token is bound to a key: send it as DPoP, with a proof.',
  'not-bound': 'The access token is not bound to a key: send it as Bearer.',
  'proof-malformed': 'The DPoP proof is not a well-formed dpop+jwt.',
  'proof-wrong-algorithm': 'The signature algorithm of the DPoP proof is not accepted.',
  'proof-wrong-signature': 'The signature of the DPoP proof is wrong.',
  'proof-wrong-key': 'The DPoP proof is made with another key than the access token is bound to.',
  'proof-wrong-request': 'The DPoP proof is made for another method or address.',
  'proof-wrong-token': 'The DPoP proof is made for another access token.',
  'proof-wrong-time': 'The DPoP proof is too old or from the future.',
  'proof-replayed': 'The DPoP proof was used before.',
} as const;
export type TokenRefusal = keyof typeof tokenRefusals;

/** The token is not good, now or ever: 401. A value, not an error. */
export class TokenRefused {
  constructor(readonly reason: TokenRefusal) {}

  /** RFC 9449 §7.1 names faults of the proof apart from faults of the token. */
  get isFaultOfProof(): boolean {
    return this.reason.startsWith('proof-') && this.reason !== 'proof-required';
  }
}

/** What was out of reach when a token could not be judged. */
export type TokenDoubt = 'signing-keys' | 'status';

/** The token may be good, but what decides it cannot be reached: 503, never 401. */
export class TokenUndecided {
  constructor(readonly lacking: TokenDoubt) {}
}

/** What is required but not granted. */
export function missingScopes(claims: AccessTokenClaims, required: readonly string[]): string[] {
  return required.filter((scope) => !claims.scopes.has(scope));
}

/**
 * Whom the token acts for: `user:<sub>`, or `client:<client_id>` where a client acts for itself. The issuer keeps user
 * ids and client ids apart (RFC 9700 §4.15), so the two cannot be confused.
 */
export function ownerOf(claims: AccessTokenClaims): string {
  return claims.subject === claims.clientId
    ? `client:${claims.clientId}`
    : `user:${claims.subject}`;
}
