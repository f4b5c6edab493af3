import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface IssuerKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: Record<string, unknown>;
}

export async function makeKey(kid: string, algorithm = 'ES256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return { kid, algorithm, privateKey, publicJwk };
}

interface Grant {
  readonly nonce: string | undefined;
  readonly scope: string;
  readonly challenge: string | undefined;
  readonly redirectUri: string | undefined;
}

/** What an id_token is made of; `sign` makes it whole. */
export interface IdTokenDraft {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  sign: () => Promise<string>;
}

/** An authorization server over real HTTP, with an API behind the same address, that can be told to cheat. */
export class HostileIssuer {
  readonly requests: {
    method: string;
    path: string;
    search: URLSearchParams;
    body: URLSearchParams;
    headers: IncomingMessage['headers'];
  }[] = [];
  keys: IssuerKey[] = [];
  /** Turns the id_token that an honest issuer would send into another one. */
  cheat: (draft: IdTokenDraft) => Promise<string> | string = ({ sign }) => sign();
  expiresIn = 300;
  /** Answers to the API, by "METHOD /path". */
  readonly api = new Map<
    string,
    (
      request: IncomingMessage,
      body: string,
    ) => { status: number; body?: unknown; headers?: Record<string, string> }
  >();
  readonly revoked: string[] = [];
  readonly refreshTokens = new Set<string>();
  /** Members that replace those of the discovery document. */
  metadata: Record<string, unknown> = {};
  /** Replaces parameters of the redirect back to the client. */
  redirectParameters: Record<string, string | undefined> = {};
  tokenFailure: { status: number; body: unknown } | undefined;
  devicePolls = 0;
  #grants = new Map<string, Grant>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HostileIssuer> {
    const server = createServer((request, response) => void hostile.#answer(request, response));
    const hostile = new HostileIssuer(server);
    hostile.keys = [await makeKey('key-1')];
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hostile;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  get issuer(): string {
    return `${this.baseUrl}/auth`;
  }

  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.baseUrl);
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = new URLSearchParams(text);
    const { method = '', headers } = request;
    this.requests.push({ method, path: url.pathname, search: url.searchParams, body, headers });
    switch (url.pathname) {
      case '/auth/.well-known/openid-configuration':
        return sendJson(response, 200, this.#discovery());
      case '/auth/jwks':
        return sendJson(response, 200, { keys: this.keys.map(({ publicJwk }) => publicJwk) });
      case '/auth/authorize':
        return this.#authorize(url.searchParams, response);
      case '/auth/device_authorization':
        return this.#startDevice(body, response);
      case '/auth/token':
        return this.#token(body, response);
      case '/auth/userinfo':
        return sendJson(response, 200, {
          sub: 'user-1',
          name: 'Demo User',
          email: 'demo@example.com',
          email_verified: false,
        });
      case '/auth/revoke':
        this.revoked.push(body.get('token') ?? '');
        response.writeHead(200).end();
        return;
    }
    const own = this.api.get(`${method} ${url.pathname}`);
    if (!own) return sendJson(response, 404, {});
    const answer = own(request, text);
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      response.setHeader(name, value);
    sendJson(response, answer.status, answer.body);
  }

  #discovery(): Record<string, unknown> {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      revocation_endpoint: `${issuer}/revoke`,
      device_authorization_endpoint: `${issuer}/device_authorization`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    };
  }

  #authorize(search: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    const text = (name: string) => search.get(name) ?? undefined;
    this.#grants.set(code, {
      nonce: text('nonce'),
      scope: text('scope') ?? '',
      challenge: text('code_challenge'),
      redirectUri: text('redirect_uri'),
    });
    const back = new URL(search.get('redirect_uri') as string);
    const parameters = { code, state: text('state'), iss: this.issuer, ...this.redirectParameters };
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) back.searchParams.set(name, value);
    response.writeHead(303, { location: back.href }).end();
  }

  #startDevice(body: URLSearchParams, response: ServerResponse): void {
    const deviceCode = randomUUID();
    const scope = body.get('scope') ?? '';
    const nonce = body.get('nonce') ?? undefined;
    this.#grants.set(deviceCode, { nonce, scope, challenge: undefined, redirectUri: undefined });
    sendJson(response, 200, {
      device_code: deviceCode,
      user_code: 'WDJB-MJHT',
      verification_uri: `${this.issuer}/device`,
      expires_in: 600,
      interval: 0.05,
    });
  }

  async #token(body: URLSearchParams, response: ServerResponse): Promise<void> {
    if (this.tokenFailure)
      return sendJson(response, this.tokenFailure.status, this.tokenFailure.body);
    if (body.get('grant_type') === 'refresh_token') return this.#refresh(body, response);
    if (body.has('device_code') && this.devicePolls++ < 2)
      return sendJson(response, 400, { error: 'authorization_pending' });
    const code = body.get('code') ?? body.get('device_code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    if (!grant || (body.has('code') && !isProven(grant, body)))
      return sendJson(response, 400, { error: 'invalid_grant' });
    const accessToken = `access-${randomUUID()}`;
    sendJson(response, 200, {
      token_type: 'Bearer',
      access_token: accessToken,
      expires_in: this.expiresIn,
      scope: grant.scope,
      refresh_token: this.#newRefreshToken(),
      id_token: await this.cheat(this.#draft(accessToken, grant.nonce)),
    });
  }

  /** Rotates; a token that was used before is the end of the family, as with the real one. */
  async #refresh(body: URLSearchParams, response: ServerResponse): Promise<void> {
    if (!this.refreshTokens.delete(body.get('refresh_token') ?? '')) {
      this.refreshTokens.clear();
      return sendJson(response, 400, { error: 'invalid_grant' });
    }
    const accessToken = `access-${randomUUID()}`;
    sendJson(response, 200, {
      token_type: 'Bearer',
      access_token: accessToken,
      expires_in: this.expiresIn,
      refresh_token: this.#newRefreshToken(),
      id_token: await this.cheat(this.#draft(accessToken, undefined)),
    });
  }

  #newRefreshToken(): string {
    const token = `refresh-${randomUUID()}`;
    this.refreshTokens.add(token);
    return token;
  }

  #draft(accessToken: string, nonce: string | undefined): IdTokenDraft {
    const key = this.keys[0] as IssuerKey;
    const now = Math.floor(Date.now() / 1000);
    const draft: IdTokenDraft = {
      header: { alg: key.algorithm, kid: key.kid, typ: 'JWT' },
      claims: {
        iss: this.issuer,
        aud: 'demo-cli',
        sub: 'user-1',
        name: 'Demo User',
        email: 'demo@example.com',
        email_verified: false,
        iat: now,
        exp: now + 3600,
        nonce,
        at_hash: createHash('sha256')
          .update(accessToken)
          .digest()
          .subarray(0, 16)
          .toString('base64url'),
      },
      sign: () => signWith(key, draft.header, draft.claims),
    };
    return draft;
  }
}

function isProven({ challenge, redirectUri }: Grant, body: URLSearchParams): boolean {
  const verifier = body.get('code_verifier') ?? '';
  return (
    createHash('sha256').update(verifier).digest('base64url') === challenge &&
    body.get('redirect_uri') === redirectUri
  );
}

export function signWith(
  key: IssuerKey,
  header: Record<string, unknown>,
  claims: Record<string, unknown>,
): Promise<string> {
  return new SignJWT(JSON.parse(JSON.stringify(claims)))
    .setProtectedHeader(JSON.parse(JSON.stringify(header)))
    .sign(key.privateKey);
}

/** A JWS with any header and claims; the signature is whatever it is given. */
export function assemble(header: unknown, claims: unknown, signature: string | Buffer): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(claims)}.${Buffer.from(signature).toString('base64url')}`;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body));
}
