import type * as openid from 'openid-client';
import { CommandFailed } from '../command-failed.ts';
import type { Session } from '../credentials/session.ts';
import { ExitCode } from '../exit-code.ts';
import { type IdTokenClaims, IdTokenRefused, idTokenRefusals } from './id-token-checks.ts';
import type { Issuer } from './issuer.ts';

export type Tokens = openid.TokenEndpointResponse;

/** The session that a token answer begins, once its id_token was found good. `now` in milliseconds. */
export function toSession(
  { issuer, clientId }: Issuer,
  tokens: Tokens,
  claims: IdTokenClaims,
  requestedScope: string,
  now: number,
): Session {
  return {
    issuer,
    clientId,
    subject: claims.subject,
    name: claims.name,
    email: claims.email,
    emailVerified: claims.emailVerified,
    scope: tokens.scope ?? requestedScope,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    expiresAt: expiryOf(tokens, now),
    signedInAt: Math.floor(now / 1000),
  };
}

/** Unix seconds. An answer without `expires_in` is good for one use. */
export function expiryOf(tokens: Tokens, now: number): number {
  return Math.floor(now / 1000) + (tokens.expires_in ?? 0);
}

/** Ends a login whose id_token is not good. Nothing of the answer is kept. */
export function refuseUnless(verdict: IdTokenClaims | IdTokenRefused): IdTokenClaims {
  if (!(verdict instanceof IdTokenRefused)) return verdict;
  throw new CommandFailed(
    `The sign-in was refused: the id_token cannot be trusted, for ${idTokenRefusals[verdict.reason]}.`,
    {
      exitCode: ExitCode.refused,
      cure: 'Nothing was stored. If this goes on, tell the operator of the authorization server.',
    },
  );
}

/** What openid-client or the server had to say against a login, in one sentence. */
export function signInFailed(error: unknown): CommandFailed {
  if (error instanceof CommandFailed) return error;
  const { error: code, error_description: description } = error as Record<string, unknown>;
  if (typeof code === 'string') {
    const sentence = serverSentences[code];
    const said = typeof description === 'string' ? ` (${description})` : '';
    return new CommandFailed(sentence ?? `The server refused the sign-in: ${code}${said}.`, {
      exitCode: ExitCode.refused,
      cause: error,
    });
  }
  const { code: libraryCode, message, cause } = error as Error & { code?: unknown };
  if (typeof libraryCode === 'string' && libraryCode.startsWith('OAUTH_')) {
    const why = cause instanceof Error ? cause.message : message;
    return new CommandFailed(
      `The sign-in was refused: the server's answer is not valid (${why}).`,
      {
        exitCode: ExitCode.refused,
        cure: 'Nothing was stored. If this goes on, tell the operator of the authorization server.',
        cause: error,
      },
    );
  }
  return new CommandFailed('The authorization server cannot be reached.', {
    exitCode: ExitCode.unavailable,
    cause: error,
  });
}

const serverSentences: Readonly<Record<string, string>> = {
  access_denied: 'The sign-in was denied.',
  expired_token: 'The code was not entered in time. Start again.',
  invalid_client: 'The authorization server does not know this client (--client-id).',
  unauthorized_client: 'This client may not sign in this way.',
};
