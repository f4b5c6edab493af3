import { Inject, Injectable } from '@nestjs/common';
import type { Account } from '../accounts/account.ts';
import { AccountsService } from '../accounts/accounts.service.ts';
import { PasswordDoor } from '../accounts/password-door.service.ts';
import { ENV } from '../app.tokens.ts';
import type { AuthEnv } from '../env.ts';
import { Browsers, type Exchange } from './browsers.service.ts';
import { type Explanation, explainPassword, explainRegistration } from './explain-outcome.ts';
import { judgeReplacement } from './judge-replacement.ts';
import { RegistrationClosed } from './page-errors.ts';
import { readForm } from './read-form.ts';

/** What the person entered, to be shown again; never a password. */
export interface Entered {
  readonly email: string;
  readonly name: string;
  readonly staysSignedIn: boolean;
}

export type DeskOutcome =
  | { readonly kind: 'admitted'; readonly account: Account; readonly entered: Entered }
  /** The password was right, but an operator gave it out: another one has to be chosen first. */
  | { readonly kind: 'must-choose'; readonly entered: Entered }
  | { readonly kind: 'refused'; readonly why: Explanation; readonly entered: Entered };

/** Where people sign in, register and replace a password that was given to them. The pages around it differ, this does not. */
@Injectable()
export class SignInDesk {
  constructor(
    private readonly door: PasswordDoor,
    private readonly accounts: AccountsService,
    private readonly browsers: Browsers,
    @Inject(ENV) private readonly env: AuthEnv,
  ) {}

  /** Whether people may create accounts by themselves. */
  get isRegistrationOpen(): boolean {
    return this.env.REGISTRATION === 'open';
  }

  async signIn(exchange: Exchange): Promise<DeskOutcome> {
    const form = readForm(exchange.request.body, ['email', 'password', 'remember']);
    const entered = toEntered(form);
    const missing = {
      ...(entered.email === '' ? { email: 'Enter your email address' } : {}),
      ...(form.password === '' ? { password: 'Enter your password' } : {}),
    };
    if (Object.keys(missing).length > 0)
      return { kind: 'refused', entered, why: { status: 422, faults: { fields: missing } } };
    const outcome = await this.door.tryPassword({
      claimant: { email: entered.email },
      password: form.password,
      visitor: this.browsers.visitorOf(exchange.request),
      purpose: 'sign-in',
    });
    if (outcome.kind !== 'right') {
      const why = explainPassword(
        outcome,
        'That email address and password do not belong together',
      );
      return { kind: 'refused', entered, why };
    }
    if (outcome.account.passwordIsTemporary) return { kind: 'must-choose', entered };
    return this.admit(exchange, outcome.account, entered);
  }

  async register(exchange: Exchange): Promise<DeskOutcome> {
    this.requireOpenRegistration();
    const form = readForm(exchange.request.body, ['email', 'name', 'password']);
    const entered = { ...toEntered({ ...form, remember: 'yes' }), name: form.name.trim() };
    const outcome = await this.accounts.register(
      { email: entered.email, name: entered.name, password: form.password },
      this.browsers.visitorOf(exchange.request),
    );
    if (outcome.kind !== 'registered')
      return { kind: 'refused', entered, why: explainRegistration(outcome) };
    return this.admit(exchange, outcome.account, entered);
  }

  /** The temporary password goes through the door again: nothing remembers that it was right a moment ago. */
  async replaceTemporary(exchange: Exchange): Promise<DeskOutcome> {
    const form = readForm(exchange.request.body, ['email', 'password', 'new_password', 'remember']);
    const entered = toEntered(form);
    const visitor = this.browsers.visitorOf(exchange.request);
    const fault = judgeReplacement(form.new_password, form.password, {
      email: entered.email,
      name: '',
    });
    if (fault) return refuseNewPassword(entered, fault);
    const outcome = await this.door.tryPassword({
      claimant: { email: entered.email },
      password: form.password,
      visitor,
      purpose: 'replace-temporary',
    });
    if (outcome.kind !== 'right') {
      const why = explainPassword(outcome, 'That is not the password you were given');
      return { kind: 'refused', entered, why };
    }
    const change = { before: outcome.passwordHash, password: form.new_password };
    const account = await this.accounts.choosePassword(outcome.account, change, visitor);
    if (!account) return refuseNewPassword(entered, 'The password has just been changed elsewhere');
    return this.admit(exchange, account, entered);
  }

  requireOpenRegistration(): void {
    if (!this.isRegistrationOpen) throw new RegistrationClosed();
  }

  private admit(exchange: Exchange, account: Account, entered: Entered): DeskOutcome {
    const { request, reply } = exchange;
    this.browsers.remember(request, reply, account);
    return { kind: 'admitted', account, entered };
  }
}

function toEntered(form: { email: string; remember: string }): Entered {
  return { email: form.email.trim(), name: '', staysSignedIn: form.remember === 'yes' };
}

function refuseNewPassword(entered: Entered, fault: string): DeskOutcome {
  const why: Explanation = { status: 422, faults: { fields: { new_password: fault } } };
  return { kind: 'refused', entered, why };
}
