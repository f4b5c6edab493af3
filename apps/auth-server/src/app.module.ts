import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.ts';
import { AccountsConsents } from './accounts/consents.hook.ts';
import { AccountsDirectory } from './accounts/directory.hook.ts';
import { AdministrationModule } from './administration/administration.module.ts';
import { type Infrastructure, InfrastructureModule } from './app.infrastructure.ts';
import { GatepostPages } from './interaction/gatepost-pages.ts';
import { InteractionModule } from './interaction/interaction.module.ts';
import { PagesModule } from './interaction/pages.module.ts';
import { ProviderModule } from './provider/provider.module.ts';

/** The composition root: the only file that knows every room. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a static method
export class AppModule {
  static with(infrastructure: Infrastructure): DynamicModule {
    const protocol = ProviderModule.forPeople({
      imports: [AccountsModule, PagesModule],
      accounts: AccountsDirectory,
      consents: AccountsConsents,
      pages: GatepostPages,
    });
    const people = InteractionModule.beside(protocol);
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.with(infrastructure),
        AccountsModule,
        protocol,
        people,
        AdministrationModule.beside(people),
      ],
    };
  }
}
