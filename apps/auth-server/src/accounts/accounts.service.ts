import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/audit-log.service.ts';
import { type Account, judgeEmail, judgeName } from './account.ts';
import { AccountsRepository, type ProfileChange } from './accounts.repository.ts';
import { AttemptCounts } from './attempt-counts.service.ts';
import { BUSY_SECONDS, TooBusy } from './bounded-work.ts';
import { judgeNewPassword } from './new-password.ts';
import { PasswordHasher } from './password-hasher.service.ts';
import type { Visitor } from './visitor.ts';

export interface Registration {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** Faults of what somebody entered, by field, for the page to show. */
export type FieldFaults<Field extends string> = Partial<Record<Field, string>>;

export type RegistrationOutcome =
  | { readonly kind: 'registered'; readonly account: Account }
  | { readonly kind: 'invalid'; readonly faults: FieldFaults<'email' | 'name' | 'password'> }
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/** Registration and what owners change of their accounts. Passwords are compared by `PasswordDoor` alone. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly hasher: PasswordHasher,
    private readonly counts: AttemptCounts,
    private readonly audit: AuditLog,
  ) {}

  /** The account while it may be used; undefined when it is unknown, deleted or disabled. */
  async findUsable(accountId: string): Promise<Account | undefined> {
    const found = await this.accounts.findById(accountId);
    return found && !found.account.disabled ? found.account : undefined;
  }

  /** Registers a person. The hash is spent in any case, so that the time does not tell whether the address is taken. */
  async register(registration: Registration, visitor: Visitor): Promise<RegistrationOutcome> {
    const { email, name, password } = registration;
    const faults = withoutGaps({
      email: judgeEmail(email),
      name: judgeName(name),
      password: judgeNewPassword(password, { email, name }),
    });
    if (faults) return { kind: 'invalid', faults };
    const taken = await this.counts.takeRegistration(visitor);
    if (!taken.allowed) return { kind: 'refused', retryAfterSeconds: taken.retryAfterSeconds };
    let passwordHash: string;
    try {
      passwordHash = await this.hasher.hash(password);
    } catch (error) {
      await this.counts.giveBackRegistration(visitor);
      if (error instanceof TooBusy) return { kind: 'busy', retryAfterSeconds: BUSY_SECONDS };
      throw error;
    }
    const account = await this.accounts.create({
      email,
      name,
      passwordHash,
      passwordIsTemporary: false,
    });
    if (!account) {
      this.audit.record('account.registration-refused', { ip: visitor.address, reason: 'taken' });
      return { kind: 'taken' };
    }
    await this.counts.giveBackRegistration(visitor);
    this.audit.record('account.registered', { accountId: account.id, ip: visitor.address });
    return { kind: 'registered', account };
  }

  /**
   * Sets a password that its owner chose. `before` is the hash that the old password was compared with: undefined is
   * returned when it has changed since, so of two changes at once one wins and the other is told.
   */
  async choosePassword(
    account: Account,
    change: { readonly before: string; readonly password: string },
    visitor: Visitor,
  ): Promise<Account | undefined> {
    const after = await this.hasher.hash(change.password);
    const changed = await this.accounts.replacePassword(
      account.id,
      { before: change.before, after },
      'chosen',
    );
    if (changed)
      this.audit.record('account.password-changed', {
        accountId: account.id,
        ip: visitor.address,
      });
    return changed;
  }

  async changeProfile(accountId: string, change: ProfileChange): Promise<void> {
    await this.accounts.changeProfile(accountId, change);
    this.audit.record('account.profile-changed', { accountId });
  }

  async remove(accountId: string, visitor: Visitor): Promise<void> {
    if (await this.accounts.remove(accountId))
      this.audit.record('account.deleted', { accountId, ip: visitor.address });
  }
}

/** The faults that there are; undefined when there are none. */
function withoutGaps<Field extends string>(
  judged: Record<Field, string | undefined>,
): FieldFaults<Field> | undefined {
  const entries = Object.entries(judged).filter(([, fault]) => fault !== undefined);
  return entries.length > 0 ? (Object.fromEntries(entries) as FieldFaults<Field>) : undefined;
}
