import type { ClientMetadata } from './client.ts';

/** What the protocol library says of a client before it is stored: a client it cannot read would fail at its first request. */
export abstract class ClientCheck {
  /** Why it is refused; undefined when it is not. */
  abstract refusalOf(clientId: string, metadata: ClientMetadata): Promise<string | undefined>;
}
