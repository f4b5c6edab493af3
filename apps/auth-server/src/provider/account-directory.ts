import type { AccountClaims, KoaContextWithOIDC } from 'oidc-provider';

/** What the protocol needs of a person: an id and the claims to tell. */
export interface AccountFace {
  readonly accountId: string;
  claims(use: string, scope: string): Promise<AccountClaims>;
}

/** Where the protocol finds people. Undefined: unknown, disabled or deleted; their tokens are refused from then on. */
export abstract class AccountDirectory {
  abstract findAccount(ctx: KoaContextWithOIDC, sub: string): Promise<AccountFace | undefined>;
}
