import { Inject, Injectable } from '@nestjs/common';
import { AccessRepository } from '../accounts/access.repository.ts';
import { ConsentsRepository } from '../accounts/consents.repository.ts';
import { ADDRESSES } from '../app.tokens.ts';
import type { Addresses } from '../env.ts';
import type { SignedIn } from './account-session.service.ts';
import { Browsers } from './browsers.service.ts';
import { describeAllowed } from './consent.ts';
import { accountPaths } from './paths.ts';
import { renderAccount } from './views/account-page.ts';
import type { FormFaults } from './views/form.ts';
import { renderNewPassword } from './views/new-password-page.ts';
import { type EnteredProfile, renderProfile } from './views/profile-page.ts';
import { renderRemoval } from './views/removal-page.ts';

/** What a page may say has just been done. Texts by key, so that no link can put words on the page. */
const DONE: Readonly<Record<string, string>> = {
  profile: 'Your profile has been saved.',
  password: 'Your password has been changed. Your other sessions have ended.',
  session: 'The session has ended.',
  sessions: 'All your other sessions have ended.',
  application: 'The application has no access any more.',
};

/** The pages of a signed-in person, filled. Every form is bound to the session. */
@Injectable()
export class AccountPages {
  readonly paths: ReturnType<typeof accountPaths>;
  private readonly api: string;

  constructor(
    private readonly browsers: Browsers,
    private readonly access: AccessRepository,
    private readonly consents: ConsentsRepository,
    @Inject(ADDRESSES) addresses: Addresses,
  ) {
    this.paths = accountPaths(addresses.mount);
    this.api = addresses.api;
  }

  async home(person: SignedIn, done: unknown): Promise<string> {
    const { account, sessionUid } = person;
    const [sessions, applications] = await Promise.all([
      this.access.listSessions(account.id),
      this.consents.list(account.id),
    ]);
    return renderAccount({
      token: this.tokenOf(person),
      account,
      sessions: sessions.map((session) => ({ ...session, isThis: session.uid === sessionUid })),
      applications: applications.map(({ consent, ...application }) => ({
        ...application,
        allowed: describeAllowed(consent, this.api),
      })),
      paths: this.paths,
      done: typeof done === 'string' && Object.hasOwn(DONE, done) ? DONE[done] : undefined,
    });
  }

  profile(person: SignedIn, entered?: EnteredProfile, faults?: FormFaults): string {
    const { account } = person;
    return renderProfile({
      action: this.paths.profile,
      token: this.tokenOf(person),
      entered: entered ?? {
        name: account.name ?? '',
        phone_number: account.phoneNumber ?? '',
        ...account.address,
      },
      backPath: this.paths.home,
      faults,
    });
  }

  password(person: SignedIn, faults?: FormFaults): string {
    return renderNewPassword({
      action: this.paths.password,
      token: this.tokenOf(person),
      email: person.account.email,
      isTemporary: false,
      backPath: this.paths.home,
      faults,
    });
  }

  removal(person: SignedIn, faults?: FormFaults): string {
    return renderRemoval({
      action: this.paths.remove,
      token: this.tokenOf(person),
      email: person.account.email,
      backPath: this.paths.home,
      faults,
    });
  }

  private tokenOf({ sessionUid }: SignedIn): string {
    return this.browsers.formToken({ session: sessionUid });
  }
}
