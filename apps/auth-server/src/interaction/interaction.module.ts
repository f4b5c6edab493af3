import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { AccountController } from './account.controller.ts';
import { AccountAccess } from './account-access.service.ts';
import { AccountDesk } from './account-desk.service.ts';
import { AccountPages } from './account-pages.service.ts';
import { AccountSecurityController } from './account-security.controller.ts';
import { AccountSecurity } from './account-security.service.ts';
import { AccountSession } from './account-session.service.ts';
import { AccountSignInController } from './account-sign-in.controller.ts';
import { Browsers } from './browsers.service.ts';
import { GrantRevocation } from './grant-revocation.service.ts';
import { InteractionController } from './interaction.controller.ts';
import { InteractionPages } from './interaction-pages.service.ts';
import { Interactions } from './interactions.service.ts';
import { PageSender } from './page-sender.service.ts';
import { SignInController } from './sign-in.controller.ts';
import { SignInDesk } from './sign-in-desk.service.ts';

/** The pages on which people meet the protocol, and those on which they look after their account. */
@Module({
  imports: [AccountsModule],
  controllers: [
    AccountController,
    AccountSecurityController,
    AccountSignInController,
    InteractionController,
    SignInController,
  ],
  providers: [
    AccountAccess,
    AccountDesk,
    AccountPages,
    AccountSecurity,
    AccountSession,
    Browsers,
    GrantRevocation,
    InteractionPages,
    Interactions,
    PageSender,
    SignInDesk,
  ],
  exports: [AccountAccess],
})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a static method
export class InteractionModule {
  /** `protocol` is the module that provides the provider; the pages answer to it. */
  static beside(protocol: DynamicModule): DynamicModule {
    return { module: InteractionModule, imports: [protocol] };
  }
}
