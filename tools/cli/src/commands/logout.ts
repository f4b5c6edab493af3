import * as openid from 'openid-client';
import type { Command } from '../command.ts';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { CredentialFile } from '../credentials/credential-file.ts';
import type { Session } from '../credentials/session.ts';
import { ExitCode } from '../exit-code.ts';
import { discoverIssuer } from '../sign-in/issuer.ts';

export const logout: Command = {
  name: 'logout',
  summary: 'Sign out and revoke the tokens',
  usage: ['logout'],
  about: `Revokes the tokens at the server and deletes them here. Your browser's own session goes on; end it at
{base_url}/auth/account.`,
  options: {},
  optionHelp: {},
  async run(_, context) {
    const { terminal, baseUrl } = context;
    let ended: Session | undefined;
    await new CredentialFile(context.environment.configDir).change(baseUrl, (current) => {
      ended = current;
      return undefined;
    });
    if (!ended) {
      terminal.show({ baseUrl, signedOut: false }, `You were not signed in at ${baseUrl}.`);
      return;
    }
    await revoke(context, ended);
    terminal.show(
      { baseUrl, signedOut: true },
      `${terminal.style.green('✓')} Signed out at ${baseUrl}`,
    );
  },
};

/** RFC 7009. The refresh token takes its access tokens along; the access token is named too, in case it does not. */
async function revoke(context: Context, session: Session): Promise<void> {
  try {
    const { configuration } = await discoverIssuer(context, session.clientId);
    if (session.refreshToken) await openid.tokenRevocation(configuration, session.refreshToken);
    await openid.tokenRevocation(configuration, session.accessToken);
  } catch (cause) {
    throw new CommandFailed('You are signed out here, but the server could not be told.', {
      exitCode: ExitCode.unavailable,
      cure: 'Its tokens end by themselves; the account page revokes them now.',
      cause,
    });
  }
}
