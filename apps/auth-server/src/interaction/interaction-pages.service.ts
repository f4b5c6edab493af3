import { Inject, Injectable } from '@nestjs/common';
import type { Account } from '../accounts/account.ts';
import { ADDRESSES, ENV } from '../app.tokens.ts';
import type { Addresses, AuthEnv } from '../env.ts';
import { Browsers } from './browsers.service.ts';
import { describeAllowed, describeRequested, type MissingDetails, toMissing } from './consent.ts';
import type { OpenInteraction } from './interactions.service.ts';
import { type InteractionPaths, interactionPaths } from './paths.ts';
import type { Entered } from './sign-in-desk.service.ts';
import { renderChooseAccount } from './views/choose-account-page.ts';
import { renderConsent } from './views/consent-page.ts';
import type { FormFaults } from './views/form.ts';
import { renderNewPassword } from './views/new-password-page.ts';
import { renderRegistration } from './views/registration-page.ts';
import { renderSignIn } from './views/sign-in-page.ts';

/** The pages of an interaction, filled. Every form is bound to it. */
@Injectable()
export class InteractionPages {
  /** Whether people may create accounts by themselves. */
  readonly isRegistrationOpen: boolean;

  constructor(
    private readonly browsers: Browsers,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
    @Inject(ENV) env: AuthEnv,
  ) {
    this.isRegistrationOpen = env.REGISTRATION === 'open';
  }

  pathsOf({ uid }: OpenInteraction): InteractionPaths {
    return interactionPaths(this.addresses.mount, uid);
  }

  signIn(
    interaction: OpenInteraction,
    shown: { person?: Account | undefined; entered?: Entered; faults?: FormFaults } = {},
  ): string {
    const { step, client, protocol } = interaction;
    const paths = this.pathsOf(interaction);
    const hint = protocol.params['login_hint'];
    return renderSignIn({
      action: paths.signIn,
      token: this.tokenOf(interaction),
      clientName: client.name,
      // On the way from a consent page to another account there is no reason but the person's own.
      why: step.kind === 'sign-in' ? step.why : 'needed',
      email: shown.entered?.email ?? shown.person?.email ?? readHint(hint),
      ...(shown.entered ? { staysSignedIn: shown.entered.staysSignedIn } : {}),
      registerPath: this.isRegistrationOpen ? paths.register : undefined,
      cancelPath: paths.deny,
      faults: shown.faults,
    });
  }

  registration(
    interaction: OpenInteraction,
    shown: { entered?: Entered; faults?: FormFaults } = {},
  ): string {
    const paths = this.pathsOf(interaction);
    return renderRegistration({
      action: paths.register,
      token: this.tokenOf(interaction),
      clientName: interaction.client.name,
      signInPath: paths.signIn,
      email: shown.entered?.email ?? readHint(interaction.protocol.params['login_hint']),
      name: shown.entered?.name,
      cancelPath: paths.deny,
      faults: shown.faults,
    });
  }

  newPassword(interaction: OpenInteraction, entered: Entered, faults?: FormFaults): string {
    return renderNewPassword({
      action: this.pathsOf(interaction).newPassword,
      token: this.tokenOf(interaction),
      email: entered.email,
      isTemporary: true,
      staysSignedIn: entered.staysSignedIn,
      faults,
    });
  }

  chooseAccount(interaction: OpenInteraction, person: Account): string {
    const paths = this.pathsOf(interaction);
    return renderChooseAccount({
      action: paths.account,
      token: this.tokenOf(interaction),
      clientName: interaction.client.name,
      person,
      otherPath: paths.signIn,
      cancelPath: paths.deny,
    });
  }

  consent(interaction: OpenInteraction, person: Account): string {
    const paths = this.pathsOf(interaction);
    const missing = toMissing(interaction.protocol.prompt.details as MissingDetails);
    return renderConsent({
      allowPath: paths.consent,
      denyPath: paths.deny,
      token: this.tokenOf(interaction),
      client: interaction.client,
      person,
      asked: describeAllowed(missing, this.addresses.api),
      requested: describeRequested(interaction.protocol.params['scope']),
      hasEarlier: interaction.protocol.grantId !== undefined,
      switchPath: paths.signIn,
      isForDevice: interaction.protocol.deviceCode !== undefined,
    });
  }

  private tokenOf({ uid }: OpenInteraction): string {
    return this.browsers.formToken({ interaction: uid });
  }
}

/** `login_hint` is whatever the application put there: shown when it looks like an address, escaped like all else. */
function readHint(hint: unknown): string | undefined {
  return typeof hint === 'string' && hint.length <= 254 && hint.includes('@') ? hint : undefined;
}
