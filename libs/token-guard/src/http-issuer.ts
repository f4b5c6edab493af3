import { isObject, isText } from './compact-jws.ts';
import { type IssuerAddresses, toInternalAddress } from './issuer-addresses.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface HttpIssuerOptions extends IssuerAddresses {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/** The issuer did not answer, or not with what was asked for. The message is for logs. */
export class IssuerFailed extends Error {}

const MAX_DOCUMENT_BYTES = 1 << 20;
const METADATA_LIFETIME_MS = 600_000;

interface Metadata {
  readonly jwksUri: string;
  readonly introspectionEndpoint: string | undefined;
  readonly fetchedAt: number;
}

/**
 * The issuer's documents over HTTP. It starts from the discovery document and takes every address from there; addresses
 * under the issuer are fetched from its internal twin, past the gateway and its limits.
 */
export class HttpIssuer {
  #metadata: Metadata | undefined;

  constructor(private readonly options: HttpIssuerOptions) {}

  /** The JWK Set and for how long the issuer lets it be kept. */
  async fetchKeySet(): Promise<{ jwks: unknown; maxAgeSeconds: number | undefined }> {
    const { jwksUri } = await this.#discover();
    const response = await this.#request(jwksUri, { accept: 'application/json' });
    return { jwks: parseJson(await readBody(response)), maxAgeSeconds: maxAgeOf(response) };
  }

  /** A signed status list, or undefined while the one with that entity tag is the current one. */
  async fetchStatusList(
    uri: string,
    etag: string | undefined,
  ): Promise<{ token: string; etag: string | undefined } | undefined> {
    const address = toInternalAddress(uri, this.options);
    if (!address) throw new IssuerFailed('the status list is not under the issuer');
    const response = await this.#request(address, {
      accept: 'application/statuslist+jwt',
      ...(etag ? { 'if-none-match': etag } : {}),
    });
    if (response.status === 304) return undefined;
    const token = (await readBody(response)).trim();
    return { token, etag: response.headers.get('etag') ?? undefined };
  }

  /** RFC 7662: whether the token is active. */
  async introspect(token: string, credentials: ClientCredentials): Promise<boolean> {
    const { introspectionEndpoint } = await this.#discover();
    if (!introspectionEndpoint) throw new IssuerFailed('the issuer offers no introspection');
    const response = await this.#request(
      introspectionEndpoint,
      { accept: 'application/json', authorization: basic(credentials) },
      new URLSearchParams({ token, token_type_hint: 'access_token' }),
    );
    const answer = parseJson(await readBody(response));
    if (!isObject(answer) || typeof answer['active'] !== 'boolean')
      throw new IssuerFailed('the introspection answer says nothing');
    return answer['active'];
  }

  async #discover(): Promise<Metadata> {
    const known = this.#metadata;
    const now = this.options.now();
    if (known && now - known.fetchedAt < METADATA_LIFETIME_MS) return known;
    try {
      const address = `${this.options.internalUrl}/.well-known/openid-configuration`;
      const response = await this.#request(address, { accept: 'application/json' });
      this.#metadata = this.#readMetadata(parseJson(await readBody(response)), now);
      return this.#metadata;
    } catch (error) {
      if (known) return known;
      throw error;
    }
  }

  #readMetadata(document: unknown, now: number): Metadata {
    if (!isObject(document)) throw new IssuerFailed('the discovery document is not an object');
    // RFC 8414 §3.3: a document that speaks for another issuer must not be used.
    if (document['issuer'] !== this.options.issuer)
      throw new IssuerFailed('the discovery document belongs to another issuer');
    const jwksUri = this.#reachable(document['jwks_uri']);
    if (!jwksUri) throw new IssuerFailed('the discovery document names no jwks_uri');
    const introspectionEndpoint = this.#reachable(document['introspection_endpoint']);
    return { jwksUri, introspectionEndpoint, fetchedAt: now };
  }

  /** What the issuer itself publishes may live elsewhere, e.g. on a CDN; only its own part has an internal twin. */
  #reachable(address: unknown): string | undefined {
    if (!isText(address) || !URL.canParse(address)) return undefined;
    return toInternalAddress(address, this.options) ?? address;
  }

  async #request(
    address: string,
    headers: Record<string, string>,
    body?: URLSearchParams,
  ): Promise<Response> {
    let response: Response;
    try {
      response = await this.options.fetch(address, {
        method: body ? 'POST' : 'GET',
        headers,
        body: body ?? null,
        // A redirect could lead anywhere.
        redirect: 'error',
        signal: AbortSignal.timeout(this.options.timeoutMs),
      });
    } catch (cause) {
      throw new IssuerFailed(`${address} cannot be reached`, { cause });
    }
    if (response.status === 200 || response.status === 304) return response;
    await response.body?.cancel().catch(() => undefined);
    throw new IssuerFailed(`${address} answered ${response.status}`);
  }
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.byteLength;
      if (length > MAX_DOCUMENT_BYTES) throw new IssuerFailed('the document is too large');
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof IssuerFailed) throw cause;
    throw new IssuerFailed('the document broke off', { cause });
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new IssuerFailed('the document is not JSON', { cause });
  }
}

function maxAgeOf(response: Response): number | undefined {
  const [, seconds] = /\bmax-age=(\d+)/i.exec(response.headers.get('cache-control') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they become Basic credentials. */
function basic({ clientId, clientSecret }: ClientCredentials): string {
  const encode = (text: string) => new URLSearchParams({ v: text }).toString().slice(2);
  const credentials = `${encode(clientId)}:${encode(clientSecret)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
