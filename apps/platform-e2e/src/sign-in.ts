import * as client from 'openid-client';
import { expectPage, FormBrowser } from './form-browser.ts';

export const DEMO_USER = { email: 'demo@example.com', password: 'correct-horse-battery' };

export interface Application {
  readonly clientId: string;
  readonly secret?: string;
  readonly redirectUri: string;
}
export const DEMO_WEB: Application = {
  clientId: 'demo-web',
  secret: 'demo-web-secret',
  redirectUri: 'http://127.0.0.1:3000/callback',
};

/** What openid-client learns from discovery, and nothing that is hard-coded. */
export function discover(
  publicUrl: string,
  application: Pick<Application, 'clientId' | 'secret'>,
): Promise<client.Configuration> {
  const authentication = application.secret
    ? client.ClientSecretBasic(application.secret)
    : client.None();
  return client.discovery(
    new URL(`${publicUrl}/auth`),
    application.clientId,
    undefined,
    authentication,
    { execute: [client.allowInsecureRequests] },
  );
}

export interface SignedIn {
  readonly config: client.Configuration;
  readonly tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;
  readonly browser: FormBrowser;
  /** Where the browser was sent: the redirect URI with the authorization code. */
  readonly callback: URL;
}

/** Code flow with PKCE through the pages, as a person without JavaScript goes it. */
export async function signIn(
  publicUrl: string,
  application: Application,
  scope: string,
  browser = new FormBrowser(publicUrl),
): Promise<SignedIn> {
  const config = await discover(publicUrl, application);
  const verifier = client.randomPKCECodeVerifier();
  const checks = {
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
    pkceCodeVerifier: verifier,
  };
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: application.redirectUri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    prompt: scope.includes('offline_access') ? 'consent' : '',
  });
  if (!scope.includes('offline_access')) address.searchParams.delete('prompt');
  let result = await browser.open(address.href);
  for (let pages = 0; pages < 3 && !(result instanceof URL); pages++) {
    const page = expectPage(result);
    result = page.html.includes('type="password"')
      ? await browser.submit(page, DEMO_USER, /login|sign-in|password/)
      : await browser.submit(page, {}, /confirm|consent|allow/);
  }
  if (!(result instanceof URL))
    throw new Error(`did not come back to the application: ${result.url}\n${result.html}`);
  const tokens = await client.authorizationCodeGrant(config, result, checks);
  return { config, tokens, browser, callback: result };
}
