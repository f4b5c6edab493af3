import { createHash, randomBytes } from 'node:crypto';
import { Browser } from './browser.ts';
import { ISSUER } from './protocol-server.ts';

export type Form = Record<string, string | undefined>;

export interface TokenAnswer {
  readonly status: number;
  readonly body: {
    access_token: string;
    refresh_token: string;
    id_token: string;
    scope: string;
    token_type: string;
    expires_in: number;
    error: string;
    error_description: string;
    [member: string]: unknown;
  };
  readonly headers: Headers;
}

export const REDIRECT_URI = 'http://127.0.0.1:3000/callback';
export const WEB = { id: 'demo-web', secret: 'demo-web-secret' };
export const M2M = { id: 'demo-m2m', secret: 'demo-m2m-secret' };

/** Authorization code requests as a well-behaved client sends them. */
export class ProtocolClient {
  readonly browser: Browser;
  private turn = 0;

  constructor(
    readonly origins: readonly string[],
    readonly credentials: { id: string; secret?: string } = WEB,
    readonly redirectUri = REDIRECT_URI,
  ) {
    this.browser = new Browser(origins);
  }

  /** Parameters of a fresh authorization request, and the verifier that goes with them. */
  request(overrides: Form = {}): { url: string; params: Form; verifier: string } {
    const verifier = randomBytes(32).toString('base64url');
    const params: Form = {
      response_type: 'code',
      client_id: this.credentials.id,
      redirect_uri: this.redirectUri,
      scope: 'openid email profile links:read links:write',
      state: randomBytes(16).toString('base64url'),
      nonce: randomBytes(16).toString('base64url'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...overrides,
    };
    return { url: `${ISSUER}/authorize?${toForm(params)}`, params, verifier };
  }

  /** Signs in; the callback's parameters, with what the exchange needs. */
  async authorize(overrides: Form = {}): Promise<{
    callback: URLSearchParams;
    code: string;
    params: Form;
    verifier: string;
  }> {
    const request = this.request(overrides);
    const { response, location } = await this.browser.open(request.url);
    if (!location) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
    const callback = location.searchParams;
    return { ...request, callback, code: callback.get('code') ?? '' };
  }

  async exchange(grant: { code: string; verifier: string }, overrides: Form = {}) {
    return this.token({
      grant_type: 'authorization_code',
      code: grant.code,
      redirect_uri: this.redirectUri,
      code_verifier: grant.verifier,
      ...overrides,
    });
  }

  /** Signs in and exchanges the code. */
  async signIn(overrides: Form = {}): Promise<TokenAnswer> {
    return this.exchange(await this.authorize(overrides));
  }

  async refresh(refreshToken: string, overrides: Form = {}): Promise<TokenAnswer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...overrides });
  }

  /** A person types the user code of a device flow and says yes. */
  async approveDevice(
    userCode: string,
    answer: Form = {},
  ): Promise<{ status: number; text: string }> {
    const form = await (await this.browser.fetch(`${ISSUER}/device`)).text();
    const confirm = await this.submit(form, { user_code: userCode });
    return this.follow(await this.submit(await confirm.text(), { user_code: userCode, ...answer }));
  }

  private async submit(page: string, fields: Form): Promise<Response> {
    const hidden = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const body = toForm({ ...Object.fromEntries(hidden.map(([, n, v]) => [n, v])), ...fields });
    return this.browser.fetch(`${ISSUER}/device`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  }

  private async follow(response: Response): Promise<{ status: number; text: string }> {
    const location = response.headers.get('location');
    const last = location
      ? (await this.browser.open(new URL(location, ISSUER).href)).response
      : response;
    return { status: last.status, text: await last.text() };
  }

  async token(form: Form, headers: Record<string, string> = {}): Promise<TokenAnswer> {
    return this.post('/token', form, headers);
  }

  async post(path: string, form: Form, headers: Record<string, string> = {}): Promise<TokenAnswer> {
    const { id, secret } = this.credentials;
    const origin = this.origins[this.turn++ % this.origins.length] as string;
    const response = await fetch(`${origin}/auth${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(secret ? { authorization: basic(id, secret) } : {}),
        ...headers,
      },
      body: toForm(secret ? form : { client_id: id, ...form }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : { error: '', text },
      headers: response.headers,
    };
  }
}

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
}

export function toForm(form: Form): string {
  const entries = Object.entries(form).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new URLSearchParams(entries).toString();
}
