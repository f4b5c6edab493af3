import * as openid from 'openid-client';
import { type Command, flagOption, textOption } from '../command.ts';
import { wrongUsage } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { CredentialFile } from '../credentials/credential-file.ts';
import type { Session } from '../credentials/session.ts';
import { signInWithBrowser } from '../sign-in/browser-login.ts';
import { signInWithDevice } from '../sign-in/device-login.ts';
import { DEFAULT_CLIENT_ID, discoverIssuer, type Issuer } from '../sign-in/issuer.ts';
import { plain } from '../terminal.ts';

/** What the commands need, and no more. `offline_access` spares signing in every five minutes. */
const DEFAULT_SCOPE = 'openid profile email offline_access links:read links:write';

export const login: Command = {
  name: 'login',
  summary: 'Sign in',
  usage: ['login', 'login --device'],
  about: `Signs in with your browser (authorization code with PKCE). The tokens are kept in a file that only you can read,
and renewed when needed. Signing in again with --scope asks for more, or for less from the start.`,
  options: {
    device: { type: 'boolean' },
    'no-browser': { type: 'boolean' },
    scope: { type: 'string' },
    'client-id': { type: 'string' },
  },
  optionHelp: {
    device: 'Show a code to enter on another device, for machines without a browser',
    'no-browser': 'Print the address instead of opening the browser',
    'scope <scopes>': `What to ask for (default: ${DEFAULT_SCOPE})`,
    'client-id <id>': `The client to sign in as (default: ${DEFAULT_CLIENT_ID})`,
  },
  async run({ values }, context) {
    const issuer = await discoverIssuer(
      context,
      textOption(values, 'client-id') ?? DEFAULT_CLIENT_ID,
    );
    const file = new CredentialFile(context.environment.configDir);
    const earlier = await file.find(context.baseUrl);
    const scope = scopeToAskFor(textOption(values, 'scope'), issuer, earlier);
    const session = flagOption(values, 'device')
      ? await signInWithDevice(context, issuer, scope)
      : await signInWithBrowser(context, issuer, {
          scope,
          showUrlOnly: flagOption(values, 'no-browser'),
        });
    await file.change(context.baseUrl, () => session);
    if (earlier) await endEarlier(issuer, earlier);
    report(context, session);
  },
};

/** Incremental: what was granted before is asked for again along with what is new, or it would be lost. */
function scopeToAskFor(
  wanted: string | undefined,
  { issuer, clientId }: Issuer,
  earlier: Session | undefined,
): string {
  const names = (wanted ?? DEFAULT_SCOPE).split(/[\s,]+/).filter((name) => name !== '');
  if (names.some((name) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)))
    throw wrongUsage('--scope takes scope names, separated by spaces.');
  const granted =
    wanted && earlier?.issuer === issuer && earlier.clientId === clientId
      ? earlier.scope.split(' ')
      : [];
  // An id_token says who signed in, so `openid` is never left out.
  return [...new Set(['openid', ...granted, ...names])].filter((name) => name !== '').join(' ');
}

/** The session before this one is of no use to anybody any more. If the server cannot be told, it ends by itself. */
async function endEarlier({ issuer, configuration }: Issuer, earlier: Session): Promise<void> {
  if (earlier.issuer !== issuer) return;
  await openid
    .tokenRevocation(configuration, earlier.refreshToken ?? earlier.accessToken)
    .catch(() => undefined);
}

function report({ terminal, baseUrl }: Context, session: Session): void {
  const { subject, name, email, scope } = session;
  const who = plain(email ?? name ?? subject);
  const { green, dim } = terminal.style;
  terminal.show(
    { baseUrl, subject, name, email, scope: scope.split(' ') },
    `${green('✓')} Signed in at ${baseUrl} as ${who}\n${dim(`  granted: ${plain(scope)}`)}`,
  );
}
