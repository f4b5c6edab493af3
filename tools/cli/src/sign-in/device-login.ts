import * as openid from 'openid-client';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import type { Session } from '../credentials/session.ts';
import { ExitCode } from '../exit-code.ts';
import { plain } from '../terminal.ts';
import { checkIdToken, NONE_SENT } from './id-token-checks.ts';
import type { Issuer } from './issuer.ts';
import { refuseUnless, signInFailed, toSession } from './signed-in.ts';

/** The device flow (RFC 8628): for machines without a browser of their own. */
export async function signInWithDevice(
  context: Context,
  issuer: Issuer,
  scope: string,
): Promise<Session> {
  const { configuration } = issuer;
  if (!configuration.serverMetadata().device_authorization_endpoint)
    throw new CommandFailed('This authorization server has no device flow.', {
      exitCode: ExitCode.refused,
    });
  try {
    const started = await openid.initiateDeviceAuthorization(configuration, {
      scope,
      ...(scope.split(' ').includes('offline_access') ? { prompt: 'consent' } : {}),
    });
    showCode(context, started);
    const tokens = await openid.pollDeviceAuthorizationGrant(configuration, started, undefined, {
      signal: context.signal,
    });
    if (!tokens.id_token) throw new CommandFailed('The server did not say who signed in.');
    const claims = refuseUnless(
      await checkIdToken(
        tokens.id_token,
        {
          findKey: (kid) => issuer.keys.find(kid),
          issuer: issuer.issuer,
          clientId: issuer.clientId,
          nonce: NONE_SENT,
          accessToken: tokens.access_token,
        },
        context.now() / 1000,
      ),
    );
    return toSession(issuer, tokens, claims, scope, context.now());
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    throw signInFailed(error);
  }
}

function showCode(
  { terminal, now }: Context,
  started: Awaited<ReturnType<typeof openid.initiateDeviceAuthorization>>,
): void {
  const { bold, cyan, dim } = terminal.noteStyle;
  const minutes = Math.max(1, Math.round(started.expires_in / 60));
  const until = new Date(now() + started.expires_in * 1000).toLocaleTimeString();
  terminal.note(`On any device, open  ${bold(plain(started.verification_uri))}`);
  terminal.note(`and enter the code   ${bold(cyan(plain(started.user_code)))}`);
  if (started.verification_uri_complete)
    terminal.note(dim(`or open ${plain(started.verification_uri_complete)}`));
  terminal.note(dim(`Waiting, up to ${minutes} min, until ${until} (Ctrl-C to give up) …`));
}
