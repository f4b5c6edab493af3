import { Inject, Injectable } from '@nestjs/common';
import { ENV } from '../app.tokens.ts';
import type { AuthEnv } from '../env.ts';
import { toEmailKey } from './account.ts';
import type { Credential } from './accounts.repository.ts';
import {
  AttemptsRepository,
  type CountedSubject,
  type TakenAttempt,
} from './attempts.repository.ts';
import { accountRule, addressRule } from './attempts.ts';
import { recogniseBrowser } from './known-browser.ts';
import { deriveSecrets } from './signing-secrets.ts';
import { toCountedAddress, type Visitor } from './visitor.ts';

/** Whom a try at a password is for: what somebody typed, or the person of a session. */
export type Claimant = { readonly email: string } | { readonly accountId: string };

/** What one try counts against. */
export interface CountedTry {
  readonly own: CountedSubject;
  readonly address: CountedSubject | undefined;
}

/** Knows what a try counts against, and counts it. */
@Injectable()
export class AttemptCounts {
  private readonly browserSecrets: readonly Buffer[];

  constructor(
    private readonly attempts: AttemptsRepository,
    @Inject(ENV) env: AuthEnv,
  ) {
    this.browserSecrets = deriveSecrets(env.COOKIE_KEYS, 'known-browser');
  }

  /**
   * A browser that the owner has used before has its own count, so strangers cannot lock the owner out, neither by
   * failing on the account nor by failing from the same address. Everybody else shares the count of the account and
   * that of their address.
   */
  toTry(claimant: Claimant, credential: Credential | undefined, visitor: Visitor): CountedTry {
    const browser =
      credential &&
      recogniseBrowser(visitor.browserCookie, credential.account, this.browserSecrets);
    // By id where there is an account: no other spelling of its address leads to another count.
    const person = credential
      ? `account ${credential.account.id}`
      : `nobody ${'email' in claimant ? toEmailKey(claimant.email) : claimant.accountId}`;
    if (browser)
      return {
        own: { rule: accountRule, value: `${person} browser ${browser}` },
        address: undefined,
      };
    return { own: { rule: accountRule, value: person }, address: this.toAddress(visitor) };
  }

  async take({ own, address }: CountedTry): Promise<TakenAttempt> {
    return this.attempts.take(address ? [own, address] : [own]);
  }

  /** Registering fails when an address has an account: asking in bulk who has one is bounded like guessing. */
  async takeRegistration(visitor: Visitor): Promise<TakenAttempt> {
    return this.attempts.take([this.toAddress(visitor)]);
  }

  async giveBackRegistration(visitor: Visitor): Promise<void> {
    await this.attempts.giveBack(this.toAddress(visitor));
  }

  /** The password was right. */
  async settle({ own, address }: CountedTry): Promise<void> {
    await this.attempts.settle(own, address);
  }

  /** Nobody looked at the password. */
  async giveBack({ own, address }: CountedTry): Promise<void> {
    await Promise.all([this.attempts.giveBack(own), address && this.attempts.giveBack(address)]);
  }

  private toAddress(visitor: Visitor): CountedSubject {
    return { rule: addressRule, value: `address ${toCountedAddress(visitor.address)}` };
  }
}
