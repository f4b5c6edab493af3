import { type DynamicModule, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { ClientAdministrationRepository } from '../clients/client-administration.repository.ts';
import { ClientAdministration } from '../clients/client-administration.service.ts';
import { ClientCheck } from '../clients/client-check.ts';
import { ClientRegistry } from '../clients/client-registry.service.ts';
import { ClientTokens } from '../clients/client-tokens.ts';
import { ClientsRepository } from '../clients/clients.repository.ts';
import { KeyRotation } from '../keys/key-rotation.service.ts';
import { SigningKeysRepository } from '../keys/signing-keys.repository.ts';
import { StatusIndexes } from '../status/status-indexes.service.ts';
import { StatusListPublisher } from '../status/status-list-publisher.service.ts';
import { StatusListsController } from '../status/status-lists.controller.ts';
import { StatusListsRepository } from '../status/status-lists.repository.ts';
import { ChangeMarksRepository } from '../store/change-marks.repository.ts';
import { RecordClientTokens } from '../store/record-client-tokens.service.ts';
import { RecordReadsRepository } from '../store/record-reads.repository.ts';
import { RecordStore } from '../store/record-store.ts';
import { RecordsRepository } from '../store/records.repository.ts';
import { AccessTokenIssuance } from './access-token-issuance.service.ts';
import { AccountDirectory } from './account-directory.ts';
import { ConsentMemory } from './consent-memory.ts';
import { KeySchedule } from './key-schedule.service.ts';
import { KeysInUse } from './keys-in-use.service.ts';
import { LibraryClientCheck } from './library-client-check.service.ts';
import { OidcProvider } from './oidc-provider.service.ts';
import { PageWork } from './page-work.service.ts';
import { ProtocolAdapters } from './protocol-adapters.service.ts';
import { ProtocolStore } from './protocol-store.service.ts';
import { ProviderEvents } from './provider-events.service.ts';
import { ProviderExtensions } from './provider-extensions.service.ts';
import { ProviderFactory } from './provider-factory.service.ts';
import { ProviderPages } from './provider-pages.ts';
import { ProviderSurroundings } from './provider-surroundings.ts';
import { RefreshGrace } from './refresh-grace.service.ts';
import { RequestCommit } from './request-commit.service.ts';
import { Watch } from './watch.service.ts';

/** The classes by which people come into the protocol; they must not need the protocol themselves. */
export interface PeopleBinding {
  readonly imports: ModuleMetadata['imports'];
  readonly accounts: Type<AccountDirectory>;
  readonly consents: Type<ConsentMemory>;
  readonly pages: Type<ProviderPages>;
}

/** The protocol: the library, its store, its keys, the status of its tokens. */
@Module({
  controllers: [StatusListsController],
  providers: [
    AccessTokenIssuance,
    ChangeMarksRepository,
    ClientRegistry,
    ClientsRepository,
    KeyRotation,
    KeySchedule,
    KeysInUse,
    OidcProvider,
    PageWork,
    ProtocolStore,
    ProviderEvents,
    ProviderExtensions,
    ProtocolAdapters,
    ProviderFactory,
    ProviderSurroundings,
    RefreshGrace,
    RecordReadsRepository,
    RecordStore,
    RecordsRepository,
    SigningKeysRepository,
    StatusIndexes,
    StatusListPublisher,
    StatusListsRepository,
    RequestCommit,
    Watch,
    ClientAdministration,
    ClientAdministrationRepository,
    { provide: ClientCheck, useClass: LibraryClientCheck },
    { provide: ClientTokens, useClass: RecordClientTokens },
  ],
  exports: [
    ClientAdministration,
    SigningKeysRepository,
    ClientRegistry,
    ClientsRepository,
    KeyRotation,
    KeySchedule,
    KeysInUse,
    OidcProvider,
    PageWork,
    RecordsRepository,
    StatusListsRepository,
    Watch,
  ],
})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a static method
export class ProviderModule {
  static forPeople(people: PeopleBinding): DynamicModule {
    return {
      module: ProviderModule,
      imports: [...(people.imports ?? [])],
      providers: [
        { provide: AccountDirectory, useClass: people.accounts },
        { provide: ConsentMemory, useClass: people.consents },
        { provide: ProviderPages, useClass: people.pages },
      ],
    };
  }
}
