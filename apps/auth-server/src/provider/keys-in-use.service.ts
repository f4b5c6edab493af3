import { Injectable } from '@nestjs/common';
import { SigningKeysRepository } from '../keys/signing-keys.repository.ts';
import type { SigningKey } from '../keys/signing-keys.ts';
import { StatusListPublisher } from '../status/status-list-publisher.service.ts';
import { OidcProvider } from './oidc-provider.service.ts';

/** The keys of this process, handed to whoever signs. */
@Injectable()
export class KeysInUse {
  private keys: readonly SigningKey[] = [];

  constructor(
    private readonly repository: SigningKeysRepository,
    private readonly provider: OidcProvider,
    private readonly publisher: StatusListPublisher,
  ) {}

  /** Reads the keys again and takes them over. */
  async read(now: Date): Promise<void> {
    this.keys = await this.repository.findAll();
    this.advance(now);
  }

  /** Lets the keys act their part at this moment. */
  advance(now: Date): void {
    this.provider.use(this.keys, now);
    this.publisher.useKeys(this.keys, now);
  }
}
