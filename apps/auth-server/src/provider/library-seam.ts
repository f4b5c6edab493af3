import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { RegisteredClient } from '../clients/client.ts';
import { routeOfRequest } from './running-request.ts';

/** What the seam asks of the rooms around it. */
export interface SeamParts {
  readonly findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  readonly isSecretOf: (client: RegisteredClient, secret: string) => boolean;
  /** Makes a JWT access token and sees that it can be introspected and revoked. */
  readonly issueJwt: (token: object) => Promise<string>;
  /** Marks a proof or assertion as seen; false when it was. */
  readonly markSeen: (id: string, expiresAt: Date) => Promise<boolean>;
}

interface Model {
  prototype: Record<string, unknown>;
  find(value: string, options?: unknown): Promise<Record<string, unknown> | undefined>;
}

const registrations = new WeakMap<object, RegisteredClient>();

/** The registered client behind a client object of the library. */
export function registrationOf(client: object): RegisteredClient | undefined {
  return registrations.get(client);
}

/**
 * Everything that reaches into oidc-provider beyond its configuration, in one place: to be read again at each update. Every
 * change is to the classes of one Provider instance.
 */
export function joinLibrary(provider: Provider, parts: SeamParts): void {
  pinAddresses(provider);
  compareExactly(provider);
  serveClients(provider, parts);
  issueJwts(provider, parts);
  addAtHash(provider);
  acceptJwtAccessTokens(provider);
  detectReplay(provider, parts);
}

/** Endpoint URLs come from the request's Host otherwise: a poisoned discovery document would send codes elsewhere. */
function pinAddresses(provider: Provider): void {
  const { prototype } = provider.OIDCContext as unknown as Model;
  prototype['urlFor'] = (name: string, options?: object) => provider.urlFor(name, options as never);
}

/** The library lets native clients use any loopback port; redirect URIs are compared exactly here, for everyone (RFC 9700 2.1). */
function compareExactly(provider: Provider): void {
  const { prototype } = provider.Client as unknown as Model;
  prototype['redirectUriAllowed'] = function allowed(this: Client, uri: string) {
    return (this.redirectUris ?? []).includes(uri);
  };
  prototype['postLogoutRedirectUriAllowed'] = function allowed(this: Client, uri: string) {
    return (this.postLogoutRedirectUris ?? []).includes(uri);
  };
}

/**
 * Clients come from the registry, parsed once for each version of their row (the library would hash their JSON on every request).
 * Secrets are compared by hash; the library's own comparison needs them in clear.
 */
function serveClients(provider: Provider, parts: SeamParts): void {
  const model = provider.Client as unknown as Model & (new (metadata: object) => Client);
  const parsed = new WeakMap<RegisteredClient, Client>();
  model.find = async (clientId: unknown) => {
    if (typeof clientId !== 'string' || clientId === '') return undefined;
    const registered = await parts.findClient(clientId);
    if (!registered) return undefined;
    let client = parsed.get(registered);
    if (!client) {
      client = new model(registered.metadata);
      parsed.set(registered, client);
      registrations.set(client, registered);
    }
    return client as unknown as Record<string, unknown>;
  };
  model.prototype['compareClientSecret'] = function compare(this: Client, secret: string) {
    const registered = registrations.get(this);
    return registered !== undefined && parts.isSecretOf(registered, secret);
  };
}

/** JWT access tokens are built, recorded and signed here rather than there; opaque ones stay the library's. */
function issueJwts(provider: Provider, parts: SeamParts): void {
  for (const model of [provider.AccessToken, provider.ClientCredentials]) {
    const { prototype } = model as unknown as Model;
    const library = prototype['getValueAndPayload'] as (this: object) => Promise<object>;
    prototype['getValueAndPayload'] = async function issue(this: object & { format?: string }) {
      return this.format === 'jwt' ? { value: await parts.issueJwt(this) } : library.call(this);
    };
  }
}

/** Version 9 dropped at_hash from the code flow; the id_token model still hashes it when it is given the access token. */
function addAtHash(provider: Provider): void {
  const values = new WeakMap<object, string>();
  const { prototype: token } = provider.AccessToken as unknown as Model;
  const save = token['save'] as (this: object) => Promise<string>;
  token['save'] = async function saveAndRemember(this: object) {
    const value = await save.call(this);
    values.set(this, value);
    return value;
  };
  const { prototype } = provider.IdToken as unknown as Model;
  const issue = prototype['issue'] as (this: object, options: { use?: string }) => Promise<string>;
  prototype['issue'] = function issueWithHash(
    this: { ctx?: KoaContextWithOIDC; set(name: string, value: string): void },
    options: { use?: string },
  ) {
    const accessToken = this.ctx?.oidc?.entities?.AccessToken;
    const value = accessToken && values.get(accessToken);
    if (options?.use === 'idtoken' && value) this.set('at_hash', value);
    return issue.call(this, options);
  };
}

/**
 * JWT access tokens are found by their hash like opaque ones. Introspection and revocation refuse whatever decodes as a JWT, so the
 * parameter loses its dots before they look (`~` is in neither alphabet) and the store puts them back.
 */
function acceptJwtAccessTokens(provider: Provider): void {
  Object.defineProperty(provider.OIDCContext.prototype, 'params', {
    configurable: true,
    set(this: { route: string }, params: { token?: unknown } | undefined) {
      refuseNullCharacters(params);
      const takesToken = this.route === 'introspection' || this.route === 'revocation';
      if (takesToken && typeof params?.token === 'string')
        params.token = params.token.replaceAll('.', '~');
      Object.defineProperty(this, 'params', {
        value: params,
        configurable: true,
        enumerable: true,
        writable: true,
      });
    },
  });
  const model = provider.AccessToken as unknown as Model;
  const find = model.find;
  model.find = async function findForRoute(this: unknown, value, options) {
    const token = await find.call(provider.AccessToken, value, options);
    if (!token || routeOfRequest() !== 'userinfo' || token['aud'] === undefined) return token;
    // The library refuses every audience there. Ours is the issuer itself, when `openid` was granted; a token for the API alone is not.
    if (![token['aud']].flat().includes(provider.issuer)) return undefined;
    token['aud'] = undefined;
    return token;
  };
}

/** One statement instead of look-then-write: of two requests with one proof, one passes. */
function detectReplay(provider: Provider, parts: SeamParts): void {
  const model = provider.ReplayDetection as unknown as {
    unique(issuer: string, jti: string, expiresAt: number): Promise<boolean>;
  };
  model.unique = (issuer, jti, expiresAt) =>
    // The length keeps (issuer, jti) pairs apart that would read the same when joined.
    parts.markSeen(`${issuer.length} ${issuer}${jti}`, new Date(expiresAt * 1000));
}

/** PostgreSQL stores no U+0000 in text or JSON; better an answer of ours than an error of its. */
function refuseNullCharacters(params: object | undefined): void {
  for (const name in params) {
    const value = (params as Record<string, unknown>)[name];
    const holdsNull =
      typeof value === 'string'
        ? value.includes('\0')
        : Array.isArray(value) && value.some((item) => String(item).includes('\0'));
    if (holdsNull) throw new errors.InvalidRequest('parameters must not hold null characters');
  }
}
