import * as openid from 'openid-client';
import { CommandFailed, signInNeeded } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { checkIdToken, IdTokenRefused, REFRESHED } from '../sign-in/id-token-checks.ts';
import { discoverIssuer, type Issuer } from '../sign-in/issuer.ts';
import { expiryOf } from '../sign-in/signed-in.ts';
import { CredentialFile } from './credential-file.ts';
import type { Session } from './session.ts';

/** A token that is about to expire might do so on the way. */
const MARGIN_SECONDS = 20;

export async function currentSession(context: Context): Promise<Session> {
  const session = await new CredentialFile(context.environment.configDir).find(context.baseUrl);
  if (!session) throw signInNeeded(`You are not signed in at ${context.baseUrl}.`);
  return session;
}

/** The session with an access token that is good for a while; `stale` names one that the server has refused. */
export async function freshSession(context: Context, stale?: string): Promise<Session> {
  const session = await currentSession(context);
  if (isFresh(session, context, stale)) return session;
  const file = new CredentialFile(context.environment.configDir);
  const issuer = await discoverIssuer(context, session.clientId);
  let refusal: unknown;
  const renewed = await file.change(context.baseUrl, async (current) => {
    // Another command was quicker, or signed out, while we waited for the lock.
    if (!current || isFresh(current, context, stale)) return current;
    try {
      return await refresh(context, issuer, current);
    } catch (error) {
      if (!isOver(error)) throw error;
      refusal = error;
      return undefined;
    }
  });
  if (renewed) return renewed;
  if (refusal) throw signInNeeded('Your session has ended.');
  throw signInNeeded(`You are not signed in at ${context.baseUrl}.`);
}

function isFresh({ expiresAt, accessToken }: Session, { now }: Context, stale?: string): boolean {
  return accessToken !== stale && expiresAt - MARGIN_SECONDS > now() / 1000;
}

async function refresh(context: Context, issuer: Issuer, session: Session): Promise<Session> {
  if (!session.refreshToken) throw signInNeeded('Your session has ended.');
  if (issuer.issuer !== session.issuer)
    throw signInNeeded(`${context.baseUrl} has another authorization server now.`);
  try {
    const tokens = await openid.refreshTokenGrant(issuer.configuration, session.refreshToken);
    if (tokens.id_token) await refuseAnotherUser(context, issuer, session, tokens);
    return {
      ...session,
      scope: tokens.scope ?? session.scope,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? session.refreshToken,
      expiresAt: expiryOf(tokens, context.now()),
    };
  } catch (error) {
    if (error instanceof CommandFailed || isOver(error)) throw error;
    throw new CommandFailed('The session could not be renewed: the server does not answer.', {
      exitCode: ExitCode.unavailable,
      cause: error,
    });
  }
}

/** OpenID Connect Core §12.2: a refreshed id_token is for the same user, else the answer is not ours. */
async function refuseAnotherUser(
  context: Context,
  { keys, issuer, clientId }: Issuer,
  session: Session,
  tokens: openid.TokenEndpointResponse,
): Promise<void> {
  const verdict = await checkIdToken(
    tokens.id_token as string,
    {
      findKey: (kid) => keys.find(kid),
      issuer,
      clientId,
      nonce: REFRESHED,
      accessToken: tokens.access_token,
    },
    context.now() / 1000,
  );
  if (verdict instanceof IdTokenRefused || verdict.subject !== session.subject)
    throw signInNeeded('The renewed session cannot be trusted.');
}

/** RFC 6749 §5.2: the refresh token is not good any more, and never will be. */
function isOver(error: unknown): boolean {
  return (error as { error?: unknown }).error === 'invalid_grant';
}
