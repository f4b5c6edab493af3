/** What a person has allowed an application in earlier sessions. */
export interface RememberedConsent {
  /** Scopes of the server itself: openid, profile, … */
  readonly oidcScopes: readonly string[];
  readonly oidcClaims: readonly string[];
  /** Scopes by resource identifier. */
  readonly resourceScopes: Readonly<Record<string, readonly string[]>>;
}

/** Where consents outlive the session they were given in, so that a later request asks only for what is new. */
export abstract class ConsentMemory {
  abstract recall(accountId: string, clientId: string): Promise<RememberedConsent | undefined>;
}
