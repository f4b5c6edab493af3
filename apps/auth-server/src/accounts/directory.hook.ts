import { Injectable } from '@nestjs/common';
import type { AccountClaims, KoaContextWithOIDC } from 'oidc-provider';
import { AccountDirectory, type AccountFace } from '../provider/account-directory.ts';
import { requestWork } from '../provider/request-works.ts';
import type { SessionPlace } from './access.repository.ts';
import { AccountsRepository } from './accounts.repository.ts';
import { toClaims } from './claims.ts';
import { describeBrowser } from './visitor.ts';

/** Finds the person of a session or a token for the protocol. Disabled and deleted people are not found. */
@Injectable()
export class AccountsDirectory extends AccountDirectory {
  constructor(private readonly accounts: AccountsRepository) {
    super();
  }

  async findAccount(ctx: KoaContextWithOIDC, sub: string): Promise<AccountFace | undefined> {
    const work = requestWork();
    // Mostly read together with what the request came with.
    const account =
      work?.recallPerson(sub)?.account ?? (await this.accounts.findById(sub))?.account;
    if (!account || account.disabled) return undefined;
    if (work) work.place ??= toBegunSession(ctx, sub);
    const claims: AccountClaims = toClaims(account);
    return { accountId: account.id, claims: async () => claims };
  }
}

/**
 * The protocol asks for the person when it takes a sign-in over into a session: the one moment when session, person and
 * browser are all at hand. A consent within the same interaction repeats the sign-in and is no new one.
 */
function toBegunSession(ctx: KoaContextWithOIDC, sub: string): SessionPlace | undefined {
  const { result, session } = ctx.oidc;
  const login = result?.['login'] as { accountId?: string } | undefined;
  if (login?.accountId !== sub || result?.['consent'] || !session) return undefined;
  return {
    sessionUid: session.uid,
    accountId: sub,
    browser: describeBrowser(ctx.get('user-agent')),
    address: ctx.ip,
  };
}
