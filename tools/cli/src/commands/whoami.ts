import * as openid from 'openid-client';
import type { Command } from '../command.ts';
import { CommandFailed, signInNeeded } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { freshSession } from '../credentials/current-session.ts';
import type { Session } from '../credentials/session.ts';
import { ExitCode } from '../exit-code.ts';
import { discoverIssuer } from '../sign-in/issuer.ts';
import { plain, table } from '../terminal.ts';

export const whoami: Command = {
  name: 'whoami',
  summary: 'Show who is signed in',
  usage: ['whoami'],
  about:
    'Shows who signed in, as the server knows them now, and what this command line may do for them.',
  options: {},
  optionHelp: {},
  async run(_, context) {
    const session = await freshSession(context);
    const profile = await fetchProfile(context, session);
    const name = textOf(profile.name) ?? session.name;
    const email = textOf(profile.email) ?? session.email;
    const emailVerified = profile.email_verified ?? session.emailVerified;
    const { baseUrl, terminal } = context;
    const { subject, clientId, scope, issuer } = session;
    const { bold, dim } = terminal.style;
    const rows = [
      [dim('user'), bold(plain(email ?? name ?? subject))],
      ...(name && email ? [[dim('name'), plain(name)]] : []),
      ...(email && !emailVerified ? [[dim('e-mail'), 'not verified yet']] : []),
      [dim('id'), plain(subject)],
      [dim('at'), baseUrl],
      [dim('as client'), plain(clientId)],
      [dim('may'), plain(scope)],
    ];
    terminal.show(
      { subject, name, email, emailVerified, baseUrl, issuer, clientId, scope: scope.split(' ') },
      table(rows, Number.POSITIVE_INFINITY),
    );
  },
};

/** The subject must be the one of the id_token: an access token alone proves no login. */
async function fetchProfile(
  context: Context,
  session: Session,
): Promise<openid.UserInfoResponse | Record<string, never>> {
  if (!session.scope.split(' ').includes('openid')) return {};
  const { configuration } = await discoverIssuer(context, session.clientId);
  try {
    return await openid.fetchUserInfo(configuration, session.accessToken, session.subject);
  } catch (error) {
    const { status } = error as { status?: number };
    if (status === 401) throw signInNeeded('Your session has ended.');
    throw new CommandFailed('The server did not say who you are.', {
      exitCode: ExitCode.unavailable,
      cause: error,
    });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
