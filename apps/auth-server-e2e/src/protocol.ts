import { createHash, randomBytes } from 'node:crypto';
import type { AuthServers } from './auth-server-process.ts';
import { Person } from './person.ts';

export type Form = Readonly<Record<string, string | undefined>>;

export const WEB = { id: 'demo-web', secret: 'demo-web-secret' };
export const MACHINE = { id: 'demo-m2m', secret: 'demo-m2m-secret' };
export const CALLBACK = 'http://127.0.0.1:3000/callback';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** Requests as a well-behaved client sends them, against one server or several in turn. */
export class Protocol {
  readonly person: Person;
  private turn = 0;

  constructor(private readonly servers: AuthServers) {
    this.person = new Person(servers.issuer, servers.origins);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.nextOrigin()}${path}`, { headers, redirect: 'manual' });
  }

  post(
    path: string,
    form: Form,
    client: { id: string; secret?: string } | undefined = WEB,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const authorization = client?.secret
      ? {
          authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
        }
      : undefined;
    return fetch(`${this.nextOrigin()}/auth${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...authorization,
        ...headers,
      },
      body: toForm(client && !client.secret ? { client_id: client.id, ...form } : form),
    });
  }

  /** A fresh authorization request and the verifier that goes with it. */
  request(overrides: Form = {}): { url: string; form: Form; verifier: string } {
    const verifier = randomBytes(32).toString('base64url');
    const form = {
      response_type: 'code',
      client_id: WEB.id,
      redirect_uri: CALLBACK,
      scope: 'openid email profile links:read links:write',
      state: randomBytes(12).toString('base64url'),
      nonce: randomBytes(12).toString('base64url'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...overrides,
    };
    return { url: `${this.servers.issuer}/authorize?${toForm(form)}`, form, verifier };
  }

  async authorize(
    overrides: Form = {},
  ): Promise<{ code: string; verifier: string; callback: URL }> {
    const { url, verifier } = this.request(overrides);
    const callback = await this.person.follow(url);
    return { code: callback.searchParams.get('code') ?? '', verifier, callback };
  }

  exchange({ code, verifier }: { code: string; verifier: string }): Promise<Response> {
    return this.post('/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    });
  }

  async signIn(overrides: Form = {}): Promise<Tokens> {
    return (await (await this.exchange(await this.authorize(overrides))).json()) as Tokens;
  }

  refresh(refreshToken: string): Promise<Response> {
    return this.post('/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  async machineToken(scope = 'links:read'): Promise<string> {
    const response = await this.post(
      '/token',
      { grant_type: 'client_credentials', scope },
      MACHINE,
    );
    return ((await response.json()) as Tokens).access_token;
  }

  private nextOrigin(): string {
    return this.servers.origins[this.turn++ % this.servers.origins.length] as string;
  }
}

export function toForm(form: Form): string {
  const given = Object.entries(form).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new URLSearchParams(given).toString();
}
