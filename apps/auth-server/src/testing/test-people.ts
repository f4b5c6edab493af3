import { Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { AccountDirectory, type AccountFace } from '../provider/account-directory.ts';
import { ConsentMemory, type RememberedConsent } from '../provider/consent-memory.ts';

export const ALICE = 'a11ce000-0000-4000-8000-000000000001';

const CLAIMS = {
  email: 'alice@example.com',
  email_verified: false,
  name: 'Alice Example',
  address: { formatted: '1 Main Street\n12345 Springfield' },
  phone_number: '+1 555 0100',
  phone_number_verified: false,
};

/** Everybody exists, until they are said to be gone. */
@Injectable()
export class TestAccounts extends AccountDirectory {
  readonly gone = new Set<string>();

  async findAccount(_ctx: KoaContextWithOIDC, sub: string): Promise<AccountFace | undefined> {
    if (this.gone.has(sub)) return undefined;
    return { accountId: sub, claims: async () => ({ sub, ...CLAIMS }) };
  }
}

@Injectable()
export class TestConsents extends ConsentMemory {
  readonly remembered = new Map<string, RememberedConsent>();

  async recall(accountId: string, clientId: string): Promise<RememberedConsent | undefined> {
    return this.remembered.get(`${accountId} ${clientId}`);
  }
}
