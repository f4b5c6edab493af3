import { Injectable } from '@nestjs/common';
import { AccountDirectory } from './account-directory.ts';
import { ConsentMemory } from './consent-memory.ts';

/** A server without people: machines only. */
@Injectable()
export class NoAccounts extends AccountDirectory {
  async findAccount(): Promise<undefined> {
    return undefined;
  }
}

@Injectable()
export class NoConsents extends ConsentMemory {
  async recall(): Promise<undefined> {
    return undefined;
  }
}
