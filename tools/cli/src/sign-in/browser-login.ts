import * as openid from 'openid-client';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import type { Session } from '../credentials/session.ts';
import type { Issuer } from './issuer.ts';
import { Login } from './login.ts';
import { LoopbackCallback } from './loopback-callback.ts';
import { refuseUnless, signInFailed, toSession } from './signed-in.ts';

const PATIENCE_MS = 300_000;

export interface BrowserLoginOptions {
  readonly scope: string;
  readonly showUrlOnly: boolean;
}

/** Authorization code with PKCE through the user's browser and a redirect to the loopback interface. */
export async function signInWithBrowser(
  context: Context,
  issuer: Issuer,
  options: BrowserLoginOptions,
): Promise<Session> {
  const login = new Login({
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    codeVerifier: openid.randomPKCECodeVerifier(),
  });
  const callback = await LoopbackCallback.listen(context.callbackPorts);
  try {
    const url = await authorizationUrl(issuer, login, options.scope, callback.redirectUri);
    await showWayToSignIn(context, url, options.showUrlOnly);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    return await callback.wait(
      {
        answer: (answered) => finish(context, issuer, login, answered, options.scope),
        toPage: (session) => ({
          kind: 'done',
          who: session.email ?? session.name ?? session.subject,
          where: context.baseUrl,
        }),
      },
      AbortSignal.any([context.signal, patience]),
    );
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw new CommandFailed('Nobody signed in within five minutes.', {
        cure: 'Run "gatepost login" again.',
      });
    throw error;
  } finally {
    await callback.close();
  }
}

async function authorizationUrl(
  { configuration }: Issuer,
  login: Login,
  scope: string,
  redirectUri: string,
): Promise<string> {
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope,
    state: login.state,
    nonce: login.nonce as string,
    code_challenge: await openid.calculatePKCECodeChallenge(login.codeVerifier),
    code_challenge_method: 'S256',
    // OpenID Connect Core §11: without it, offline_access is not granted.
    ...(scope.split(' ').includes('offline_access') ? { prompt: 'consent' } : {}),
  });
  return url.href;
}

async function showWayToSignIn(context: Context, url: string, showUrlOnly: boolean): Promise<void> {
  const { terminal } = context;
  const { bold, dim } = terminal.noteStyle;
  const isOpen = !showUrlOnly && (await context.openBrowser(url));
  terminal.note(
    isOpen
      ? `${bold('Sign in with your browser.')} If it did not open, go to:`
      : bold('Open this address in a browser on this machine to sign in:'),
  );
  terminal.note(`\n  ${url}\n`);
  terminal.note(dim('Waiting (Ctrl-C to give up) …'));
}

/** From the callback to a session, or undefined when the callback is not this login's. */
async function finish(
  context: Context,
  issuer: Issuer,
  login: Login,
  callback: URL,
  scope: string,
): Promise<Session | undefined> {
  // Before anything of it is used: whoever does not know the state did not start here (RFC 6749 §10.12).
  if (!login.isAnsweredBy(callback)) return undefined;
  try {
    const tokens = await openid.authorizationCodeGrant(issuer.configuration, callback, {
      expectedState: login.state,
      expectedNonce: login.nonce as string,
      pkceCodeVerifier: login.codeVerifier,
      idTokenExpected: true,
    });
    const claims = refuseUnless(
      await login.validate(
        tokens.id_token as string,
        {
          findKey: (kid) => issuer.keys.find(kid),
          issuer: issuer.issuer,
          clientId: issuer.clientId,
          accessToken: tokens.access_token,
        },
        context.now() / 1000,
      ),
    );
    return toSession(issuer, tokens, claims, scope, context.now());
  } catch (error) {
    throw signInFailed(error);
  }
}
