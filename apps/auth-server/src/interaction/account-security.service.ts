import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.ts';
import { PasswordDoor } from '../accounts/password-door.service.ts';
import { AccountAccess } from './account-access.service.ts';
import type { SignedIn } from './account-session.service.ts';
import { Browsers, type Exchange } from './browsers.service.ts';
import { type Explanation, explainPassword } from './explain-outcome.ts';
import { judgeReplacement } from './judge-replacement.ts';
import { readForm } from './read-form.ts';

const WRONG = 'That is not your current password';

/** Changes that need the password once more. Each returns why it was refused, or nothing when it is done. */
@Injectable()
export class AccountSecurity {
  constructor(
    private readonly door: PasswordDoor,
    private readonly accounts: AccountsService,
    private readonly access: AccountAccess,
    private readonly browsers: Browsers,
  ) {}

  /** Every other session ends: whoever else knew the password is out. */
  async changePassword(exchange: Exchange, person: SignedIn): Promise<Explanation | undefined> {
    const { request, reply } = exchange;
    const { account, sessionUid } = person;
    const form = readForm(request.body, ['password', 'new_password', 'disconnect']);
    const fault = judgeReplacement(form.new_password, form.password, {
      email: account.email,
      name: account.name ?? '',
    });
    if (fault) return refuseNewPassword(fault);
    const visitor = this.browsers.visitorOf(request);
    const outcome = await this.door.tryPassword({
      claimant: { accountId: account.id },
      password: form.password,
      visitor,
      purpose: 'change-password',
    });
    if (outcome.kind !== 'right') return explainPassword(outcome, WRONG);
    const change = { before: outcome.passwordHash, password: form.new_password };
    const changed = await this.accounts.choosePassword(account, change, visitor);
    if (!changed) return refuseNewPassword('The password has just been changed elsewhere');
    await this.access.endOtherSessions(account.id, sessionUid);
    if (form.disconnect === 'yes') await this.access.revokeAllApplications(account.id);
    this.browsers.remember(request, reply, changed);
    return undefined;
  }

  /** What is open ends before the account goes: afterwards nobody could tell whose it was. */
  async removeAccount(exchange: Exchange, person: SignedIn): Promise<Explanation | undefined> {
    const { account } = person;
    const visitor = this.browsers.visitorOf(exchange.request);
    const outcome = await this.door.tryPassword({
      claimant: { accountId: account.id },
      password: readForm(exchange.request.body, ['password']).password,
      visitor,
      purpose: 'delete-account',
    });
    if (outcome.kind !== 'right') return explainPassword(outcome, WRONG);
    await this.access.endEverything(account.id);
    await this.accounts.remove(account.id, visitor);
    // Once more, for what came in while the account was still there.
    await this.access.endEverything(account.id);
    return undefined;
  }
}

function refuseNewPassword(fault: string): Explanation {
  return { status: 422, faults: { fields: { new_password: fault } } };
}
