import * as openid from 'openid-client';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { isLoopback } from '../environment.ts';
import { ExitCode } from '../exit-code.ts';
import { IssuerKeys } from './issuer-keys.ts';

/** The authorization server as its discovery document describes it, seen by one client. */
export interface Issuer {
  readonly issuer: string;
  readonly clientId: string;
  readonly configuration: openid.Configuration;
  readonly keys: IssuerKeys;
}

export const DEFAULT_CLIENT_ID = 'demo-cli';

/** `{base_url}/auth`, as the platform derives it. */
export function issuerUrl(baseUrl: string): string {
  return `${baseUrl}/auth`;
}

/** Starts from discovery: no endpoint is known beforehand. */
export async function discoverIssuer(context: Context, clientId: string): Promise<Issuer> {
  const { baseUrl, now } = context;
  const isPlain = refuseUnsafeAddress(context);
  const url = issuerUrl(baseUrl);
  let configuration: openid.Configuration;
  try {
    configuration = await openid.discovery(
      new URL(url),
      clientId,
      // A public client: it has no secret, PKCE is what ties its requests together. The skew is the most that is allowed.
      { token_endpoint_auth_method: 'none', [openid.clockTolerance]: 60 },
      openid.None(),
      {
        execute: isPlain ? [openid.allowInsecureRequests] : [],
        [openid.customFetch]: (address, options) =>
          context.fetch(address, { ...options, redirect: 'error' } as RequestInit),
        timeout: 15,
      },
    );
  } catch (error) {
    throw discoveryFailed(url, error);
  }
  const { issuer, jwks_uri: jwksUri } = configuration.serverMetadata();
  if (!jwksUri) throw new CommandFailed(`${url} names no jwks_uri in its discovery document.`);
  return {
    issuer,
    clientId,
    configuration,
    keys: new IssuerKeys({ jwksUri, fetch: context.fetch, now }),
  };
}

/** Whether plain http is spoken; refused to anything but this machine, for tokens would travel readable. */
export function refuseUnsafeAddress({ baseUrl, environment }: Context): boolean {
  if (!baseUrl.startsWith('http://')) return false;
  if (isLoopback(baseUrl) || environment.allowHttp) return true;
  throw new CommandFailed(`${baseUrl} is not encrypted, and tokens would travel readable.`, {
    exitCode: ExitCode.usage,
    cure: 'Use an https address, or set GATEPOST_ALLOW_HTTP=true in a network that you trust.',
  });
}

function discoveryFailed(url: string, error: unknown): CommandFailed {
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    const named = (cause as { body?: { issuer?: unknown } } | undefined)?.body?.issuer;
    return new CommandFailed(
      `The server at ${url} calls itself ${typeof named === 'string' ? named : 'something else'}.`,
      { cure: 'Use the address that it knows itself by, with --base-url.', cause: error },
    );
  }
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || code === 'OAUTH_RESPONSE_IS_NOT_JSON')
    return new CommandFailed(`There is no authorization server at ${url}.`, {
      exitCode: ExitCode.unavailable,
      cure: 'Check the address: --base-url or GATEPOST_URL names the gateway.',
      cause: error,
    });
  return new CommandFailed(`${url} cannot be reached.`, {
    exitCode: ExitCode.unavailable,
    cure: 'Is the platform running there? "gatepost doctor" looks closer.',
    cause: error,
  });
}
