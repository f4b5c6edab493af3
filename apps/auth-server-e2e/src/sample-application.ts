import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RegisterClientInput } from '@gatepost/contracts';

export interface AuthServerUnderTest {
  readonly issuer: string;
  readonly managementUrl: string;
  readonly managementToken: string;
}

interface Addresses {
  readonly redirectUri: string;
  /** Another origin than the callback's, as an application with an API domain of its own has it. */
  readonly landing: string;
}

/** An application as its developer runs it: registered with the operator, listening for the callback on a port of its own. */
export class SampleApplication {
  private constructor(
    readonly clientId: string,
    private readonly addresses: Addresses,
    private readonly issuer: string,
    private readonly servers: readonly Server[],
  ) {}

  /** Where the callback sends the browser on to. */
  get landing(): string {
    return this.addresses.landing;
  }

  static async start(
    auth: AuthServerUnderTest,
    registration: Partial<RegisterClientInput> = {},
  ): Promise<SampleApplication> {
    const landing = await listen((_path) => ({ status: 200, body: page('Welcome to the shop') }));
    const landingUrl = `http://127.0.0.1:${landing.port}/welcome`;
    const callback = await listen((path) =>
      path.startsWith('/callback')
        ? { status: 302, location: `${landingUrl}${path.slice('/callback'.length)}` }
        : { status: 200, body: page('Signed out of the shop') },
    );
    const origin = `http://localhost:${callback.port}`;
    const redirectUri = `${origin}/callback`;
    const response = await fetch(`${auth.managementUrl}/admin/clients`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${auth.managementToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        name: 'The Shop',
        redirectUris: [redirectUri],
        postLogoutRedirectUris: [`${origin}/bye`],
        authentication: 'none',
        apiScopes: ['links:read', 'links:write'],
        clientUri: 'https://shop.example/about',
        policyUri: 'https://shop.example/privacy',
        ...registration,
      } satisfies RegisterClientInput),
    });
    if (response.status !== 201)
      throw new Error(`not registered: ${response.status} ${await response.text()}`);
    const { clientId } = (await response.json()) as { clientId: string };
    const servers = [landing.server, callback.server];
    const addresses = { redirectUri, landing: landingUrl };
    return new SampleApplication(clientId, addresses, auth.issuer, servers);
  }

  /** Where the application sends a browser to sign in. */
  signInUrl(overrides: Readonly<Record<string, string>> = {}): string {
    const verifier = randomBytes(32).toString('base64url');
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.addresses.redirectUri,
      scope: 'openid profile email links:read links:write',
      state: randomBytes(16).toString('base64url'),
      nonce: randomBytes(16).toString('base64url'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...overrides,
    });
    return `${this.issuer}/authorize?${parameters}`;
  }

  signOutUrl(): string {
    const back = `${new URL(this.addresses.redirectUri).origin}/bye`;
    return `${this.issuer}/logout?${new URLSearchParams({ client_id: this.clientId, post_logout_redirect_uri: back })}`;
  }

  async stop(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

interface Answer {
  readonly status: number;
  readonly location?: string;
  readonly body?: string;
}

async function listen(answer: (path: string) => Answer): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const { status, location, body = '' } = answer(request.url ?? '/');
    response.writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      ...(location ? { location } : {}),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

function page(heading: string): string {
  return `<!doctype html><html lang="en"><title>${heading}</title><h1>${heading}</h1></html>`;
}
