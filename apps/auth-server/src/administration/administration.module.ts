import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { UserAdministration } from './user-administration.service.ts';

/** What operators do with people. */
@Module({
  imports: [AccountsModule],
  providers: [UserAdministration],
  exports: [UserAdministration],
})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a static method
export class AdministrationModule {
  /** `pages` is the module that ends sessions and grants. */
  static beside(pages: DynamicModule): DynamicModule {
    return { module: AdministrationModule, imports: [pages] };
  }
}
