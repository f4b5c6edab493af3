import { createHash, randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { deflateSync } from 'node:zlib';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface IssuerKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: Record<string, unknown>;
}

export interface TokenParts {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
  readonly key?: IssuerKey;
}

export async function makeKey(kid: string, algorithm = 'ES256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return { kid, algorithm, privateKey, publicJwk };
}

/**
 * An issuer over real HTTP that can be told to misbehave. Its public address does not exist: whoever wants its documents
 * has to come to the internal one.
 */
export class HostileIssuer {
  readonly issuer = 'https://id.example.test/auth';
  readonly audience = 'https://go.example.test';
  readonly requests: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  readonly revoked = new Set<number>();
  keys: IssuerKey[] = [];
  jwksCacheControl: string | undefined = 'public, max-age=300';
  listLifetimeSeconds = 60;
  /** Extra or replaced claims of status lists. */
  listClaims: Record<string, unknown> = {};
  listKey: IssuerKey | undefined;
  #answers = new Map<string, RequestListener>();
  #sealed: { fingerprint: string; token: string } | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HostileIssuer> {
    const server = createServer((request, response) => void hostile.#answer(request, response));
    const hostile = new HostileIssuer(server);
    hostile.keys = [await makeKey('key-1')];
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hostile;
  }

  get internalUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}/auth`;
  }

  get listUri(): string {
    return `${this.issuer}/status-lists/1`;
  }

  /** How often a path was asked for. */
  count(path: string): number {
    return this.requests.filter((request) => request.path === `/auth${path}`).length;
  }

  /** Answers a path in another way, until `behave`. */
  misbehave(path: string, answer: RequestListener): void {
    this.#answers.set(`/auth${path}`, answer);
  }

  behave(path: string): void {
    this.#answers.delete(`/auth${path}`);
  }

  /** An access token as it should be, but for what the parts say. `undefined` removes a member. */
  async token({
    header,
    claims,
    key = this.keys[0] as IssuerKey,
  }: TokenParts = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: this.issuer,
      aud: this.audience,
      sub: 'user-1',
      client_id: 'demo-web',
      scope: 'links:read links:write',
      jti: randomUUID(),
      iat: now,
      exp: now + 300,
      ...claims,
    };
    return new SignJWT(withoutUndefined(payload))
      .setProtectedHeader(
        withoutUndefined({ alg: key.algorithm, kid: key.kid, typ: 'at+jwt', ...header }) as never,
      )
      .sign(key.privateKey);
  }

  statusClaim(index: number, uri = this.listUri): Record<string, unknown> {
    return { status: { status_list: { idx: index, uri } } };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    let body = '';
    for await (const chunk of request) body += chunk;
    this.requests.push({ path, headers: request.headers, body });
    const own = this.#answers.get(path);
    if (own) return own(request, response);
    if (path === '/auth/.well-known/openid-configuration')
      return sendJson(response, this.metadata());
    if (path === '/auth/jwks') return this.#sendKeys(response);
    if (path === '/auth/status-lists/1') return this.#sendList(request, response);
    if (path === '/auth/introspect') return sendJson(response, { active: true });
    response.writeHead(404).end();
  }

  metadata(): Record<string, unknown> {
    const { issuer } = this;
    return {
      issuer,
      jwks_uri: `${issuer}/jwks`,
      introspection_endpoint: `${issuer}/introspect`,
    };
  }

  #sendKeys(response: ServerResponse): void {
    if (this.jwksCacheControl) response.setHeader('cache-control', this.jwksCacheControl);
    sendJson(response, { keys: this.keys.map(({ publicJwk }) => publicJwk) });
  }

  async #sendList(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = await this.#sealList();
    const etag = `"${createHash('sha256').update(token).digest('hex').slice(0, 16)}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/statuslist+jwt', etag }).end(token);
  }

  /** Signed again on change, as the real one. */
  async #sealList(): Promise<string> {
    const fingerprint = JSON.stringify([[...this.revoked], this.listClaims, this.listKey?.kid]);
    if (this.#sealed?.fingerprint === fingerprint) return this.#sealed.token;
    const token = await this.listToken();
    this.#sealed = { fingerprint, token };
    return token;
  }

  async listToken(header: Record<string, unknown> = {}): Promise<string> {
    const key = this.listKey ?? (this.keys[0] as IssuerKey);
    const now = Math.floor(Date.now() / 1000);
    const bytes = new Uint8Array(128);
    for (const index of this.revoked) {
      bytes[index >> 3] = (bytes[index >> 3] as number) | (1 << (index & 7));
    }
    const lst = deflateSync(bytes).toString('base64url');
    const claims = {
      sub: this.listUri,
      iss: this.issuer,
      iat: now,
      exp: now + this.listLifetimeSeconds,
      ttl: 1,
      status_list: { bits: 1, lst },
      ...this.listClaims,
    };
    return new SignJWT(withoutUndefined(claims))
      .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'statuslist+jwt', ...header })
      .sign(key.privateKey);
  }
}

/** A client that proves possession of its key. */
export async function makeProver(algorithm = 'ES256') {
  const key = await makeKey('proof', algorithm);
  const { kid: _kid, use: _use, alg: _alg, ...jwk } = key.publicJwk;
  const thumbprint = await calculateJwkThumbprint(jwk as never);
  return {
    key,
    jwk,
    thumbprint,
    prove: (
      request: { method: string; url: string; accessToken: string },
      { header = {}, claims = {} }: Pick<TokenParts, 'header' | 'claims'> = {},
    ) =>
      new SignJWT(
        withoutUndefined({
          jti: randomUUID(),
          htm: request.method,
          htu: request.url,
          iat: Math.floor(Date.now() / 1000),
          ath: createHash('sha256').update(request.accessToken).digest('base64url'),
          ...claims,
        }),
      )
        .setProtectedHeader(
          withoutUndefined({ alg: algorithm, typ: 'dpop+jwt', jwk, ...header }) as never,
        )
        .sign(key.privateKey),
  };
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

/** A JWS with any header and payload; the signature is whatever it is given. */
export function assemble(header: unknown, payload: unknown, signature: string | Buffer): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(payload)}.${Buffer.from(signature).toString('base64url')}`;
}

export async function until<T>(ask: () => T | Promise<T>, deadlineMs = 5_000): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error('did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function withoutUndefined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
