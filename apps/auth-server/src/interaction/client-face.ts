import type { ClientFace } from './views/consent-page.ts';

/** The parts of a registered client that a person is shown. */
export interface ClientFacts {
  readonly clientId: string;
  readonly clientName?: string | undefined;
  readonly clientUri?: string | undefined;
  readonly policyUri?: string | undefined;
  readonly tosUri?: string | undefined;
}

/** What a page shows of a client and of where the browser goes from there. */
export function toClientFace(client: ClientFacts, redirectUri: unknown): ClientFace {
  return {
    name: client.clientName || client.clientId,
    homepage: toWebAddress(client.clientUri),
    policy: toWebAddress(client.policyUri),
    terms: toWebAddress(client.tosUri),
    destination: typeof redirectUri === 'string' ? describeDestination(redirectUri) : undefined,
  };
}

/** Only http and https become links: `javascript:` in a registration must not. */
function toWebAddress(address: string | undefined): string | undefined {
  return address && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
    ? address
    : undefined;
}

function describeDestination(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return undefined;
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : 'an application on this device';
}
