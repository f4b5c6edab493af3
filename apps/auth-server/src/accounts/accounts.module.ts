import { Module } from '@nestjs/common';
import { AccessRepository } from './access.repository.ts';
import { AccountsRepository } from './accounts.repository.ts';
import { AccountsService } from './accounts.service.ts';
import { AccountsPurge } from './accounts-purge.service.ts';
import { AttemptCounts } from './attempt-counts.service.ts';
import { AttemptsRepository } from './attempts.repository.ts';
import { ConsentsRepository } from './consents.repository.ts';
import { DemoAccount } from './demo-account.service.ts';
import { PasswordDoor } from './password-door.service.ts';
import { PasswordHasher } from './password-hasher.service.ts';

/** Who can sign in, with what, and what they have allowed. Knows nothing of the protocol. */
@Module({
  providers: [
    AccessRepository,
    AccountsPurge,
    AccountsRepository,
    AccountsService,
    AttemptCounts,
    AttemptsRepository,
    ConsentsRepository,
    DemoAccount,
    PasswordDoor,
    PasswordHasher,
  ],
  exports: [
    AccessRepository,
    AccountsRepository,
    AccountsService,
    AttemptsRepository,
    ConsentsRepository,
    PasswordDoor,
    PasswordHasher,
  ],
})
export class AccountsModule {}
