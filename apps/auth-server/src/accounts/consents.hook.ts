import { Injectable } from '@nestjs/common';
import { ConsentMemory, type RememberedConsent } from '../provider/consent-memory.ts';
import { requestWork } from '../provider/request-works.ts';
import { ConsentsRepository } from './consents.repository.ts';

/** Tells the protocol what a person has allowed an application; mostly it was read together with the interaction. */
@Injectable()
export class AccountsConsents extends ConsentMemory {
  constructor(private readonly consents: ConsentsRepository) {
    super();
  }

  async recall(accountId: string, clientId: string): Promise<RememberedConsent | undefined> {
    const person = requestWork()?.recallPerson(accountId);
    return person?.clientId === clientId
      ? person.consent
      : this.consents.recall(accountId, clientId);
  }
}
