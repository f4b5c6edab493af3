import { Injectable } from '@nestjs/common';
import { AccountDirectory } from './account-directory.ts';
import { ConsentMemory } from './consent-memory.ts';
import { ProviderExtensions } from './provider-extensions.service.ts';
import { ProviderPages } from './provider-pages.ts';

/** What the protocol is given by the rooms around it: people, pages, and what stands around its requests. */
@Injectable()
export class ProviderSurroundings {
  constructor(
    readonly accounts: AccountDirectory,
    readonly consents: ConsentMemory,
    readonly pages: ProviderPages,
    readonly extensions: ProviderExtensions,
  ) {}
}
