import { randomInt } from 'node:crypto';
import type {
  RegisteredUser,
  RegisterUser,
  TemporaryPassword,
  UserPage,
  UserView,
} from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import { Injectable } from '@nestjs/common';
import { type Account, judgeEmail, judgeName } from '../accounts/account.ts';
import { AccountsRepository } from '../accounts/accounts.repository.ts';
import { judgeNewPassword } from '../accounts/new-password.ts';
import { PasswordHasher } from '../accounts/password-hasher.service.ts';
import { AuditLog } from '../audit/audit-log.service.ts';
import { AccountAccess } from '../interaction/account-access.service.ts';

/** What operators do with people's accounts. Passwords they give out are temporary: the owner chooses another at the next sign-in. */
@Injectable()
export class UserAdministration {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly hasher: PasswordHasher,
    private readonly access: AccountAccess,
    private readonly audit: AuditLog,
  ) {}

  async list(page: {
    afterId: string | undefined;
    limit: number;
    search: string | undefined;
  }): Promise<UserPage> {
    if (page.afterId !== undefined && !isUuid(page.afterId))
      throw new DomainError('invalid-request', 'The cursor cannot be used.', {
        errors: [{ pointer: '/cursor', detail: 'must come from an earlier answer' }],
      });
    const found = await this.accounts.list({ ...page, limit: page.limit + 1 });
    const items = found.slice(0, page.limit).map(toView);
    return { items, nextCursor: found.length > page.limit ? (items.at(-1)?.id ?? null) : null };
  }

  async show(id: string): Promise<UserView> {
    return toView(await this.find(id));
  }

  async register(user: RegisterUser): Promise<RegisteredUser> {
    const { email, name } = user;
    const password = user.password ?? newTemporaryPassword();
    const faults = [
      { pointer: '/email', detail: judgeEmail(email) },
      { pointer: '/name', detail: judgeName(name) },
      { pointer: '/password', detail: judgeNewPassword(password, { email, name }) },
    ].filter((fault): fault is { pointer: string; detail: string } => fault.detail !== undefined);
    if (faults.length > 0)
      throw new DomainError('invalid-request', 'The account cannot be created like this.', {
        errors: faults,
      });
    const passwordHash = await this.hasher.hash(password);
    const account = await this.accounts.create({
      email,
      name,
      passwordHash,
      passwordIsTemporary: user.password === undefined,
    });
    if (!account) throw new DomainError('conflict', 'This address has an account already.');
    this.audit.record('account.created', { accountId: account.id });
    return {
      ...toView(account),
      ...(user.password === undefined ? { temporaryPassword: password } : {}),
    };
  }

  /** Gives out a temporary password and ends what is open: whoever knew the old one is out. */
  async resetPassword(id: string): Promise<TemporaryPassword> {
    await this.find(id);
    const password = newTemporaryPassword();
    const after = await this.hasher.hash(password);
    await this.accounts.replacePassword(id, { before: undefined, after }, 'temporary');
    await this.access.endEverything(id);
    this.audit.record('account.password-reset', { accountId: id });
    return { id, temporaryPassword: password };
  }

  async setDisabled(id: string, disabled: boolean): Promise<UserView> {
    await this.find(id);
    await this.accounts.setDisabled(id, disabled);
    if (disabled) await this.access.endEverything(id);
    this.audit.record(disabled ? 'account.disabled' : 'account.enabled', { accountId: id });
    return this.show(id);
  }

  async endSessions(id: string): Promise<void> {
    await this.find(id);
    await this.access.endEverything(id);
    this.audit.record('account.sessions-ended', { accountId: id });
  }

  async remove(id: string): Promise<void> {
    await this.find(id);
    // First what is open: a deleted account has nothing that could be found by it.
    await this.access.endEverything(id);
    await this.accounts.remove(id);
    this.audit.record('account.deleted', { accountId: id });
  }

  private async find(id: string): Promise<Account> {
    const found = await this.accounts.findById(id);
    if (!found) throw new DomainError('not-found', 'There is no account of this id.');
    return found.account;
  }
}

/** 20 characters of an alphabet without look-alikes, about 98 bits, in groups that can be read out. */
function newTemporaryPassword(): string {
  const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';
  const letters = Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return (letters.match(/.{5}/g) as string[]).join('-');
}

function isUuid(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

function toView(account: Account): UserView {
  return {
    id: account.id,
    email: account.email,
    emailVerified: account.emailVerified,
    name: account.name ?? null,
    disabled: account.disabled,
    passwordIsTemporary: account.passwordIsTemporary,
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
  };
}
