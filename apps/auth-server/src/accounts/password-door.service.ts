import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditLog } from '../audit/audit-log.service.ts';
import type { Account } from './account.ts';
import { AccountsRepository, type Credential } from './accounts.repository.ts';
import { AttemptCounts, type Claimant } from './attempt-counts.service.ts';
import { BUSY_SECONDS, TooBusy } from './bounded-work.ts';
import { PasswordHasher } from './password-hasher.service.ts';
import type { Visitor } from './visitor.ts';

/** What the password is wanted for; goes into the audit log. */
export type PasswordPurpose =
  | 'sign-in'
  | 'change-password'
  | 'replace-temporary'
  | 'delete-account';

export interface PasswordTry {
  readonly claimant: Claimant;
  readonly password: string;
  readonly visitor: Visitor;
  readonly purpose: PasswordPurpose;
}

export type PasswordOutcome =
  /** `passwordHash` is what the password was compared with, for a change that must not overwrite another one. */
  | { readonly kind: 'right'; readonly account: Account; readonly passwordHash: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/**
 * The one door that every password goes through, whatever it is wanted for: there is no second path on which somebody
 * could guess uncounted. Each try is counted before it is looked at. Where there is no account, the same statements and
 * the same hash are spent, so neither the answer nor its time tells.
 */
@Injectable()
export class PasswordDoor implements OnModuleInit {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly counts: AttemptCounts,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditLog,
  ) {}

  /** The decoy is made beforehand: made on demand, it would double the time of the first unknown account. */
  async onModuleInit(): Promise<void> {
    await this.hasher.decoyHash();
  }

  async tryPassword(attempt: PasswordTry): Promise<PasswordOutcome> {
    const credential = await this.findCredential(attempt.claimant);
    const outcome = await this.judge(attempt, credential);
    // `sign-in.right`, `sign-in.wrong`, `delete-account.refused` …
    this.audit.record(`${attempt.purpose}.${outcome.kind}`, {
      accountId: credential?.account.id,
      ip: attempt.visitor.address,
      userAgent: attempt.visitor.userAgent,
    });
    return outcome;
  }

  private async judge(
    { claimant, password, visitor }: PasswordTry,
    credential: Credential | undefined,
  ): Promise<PasswordOutcome> {
    const counted = this.counts.toTry(claimant, credential, visitor);
    const taken = await this.counts.take(counted);
    if (!taken.allowed) return { kind: 'refused', retryAfterSeconds: taken.retryAfterSeconds };
    let matches: boolean;
    try {
      const hash = credential?.passwordHash ?? (await this.hasher.decoyHash());
      matches = await this.hasher.matches(hash, password);
    } catch (error) {
      await this.counts.giveBack(counted);
      if (error instanceof TooBusy) return { kind: 'busy', retryAfterSeconds: BUSY_SECONDS };
      throw error;
    }
    if (!credential || !matches) return { kind: 'wrong' };
    await this.counts.settle(counted);
    if (credential.account.disabled) return { kind: 'disabled' };
    return {
      kind: 'right',
      account: credential.account,
      passwordHash: await this.renewHash(credential, password),
    };
  }

  private findCredential(claimant: Claimant): Promise<Credential | undefined> {
    return 'email' in claimant
      ? this.accounts.findByEmail(claimant.email)
      : this.accounts.findById(claimant.accountId);
  }

  /** Only now is the password at hand: a hash of yesterday's cost is made anew. */
  private async renewHash(credential: Credential, password: string): Promise<string> {
    const before = credential.passwordHash;
    if (!this.hasher.isOutdated(before)) return before;
    const after = await this.hasher.hash(password);
    await this.accounts.replacePassword(credential.account.id, { before, after }, 'rehashed');
    return after;
  }
}
