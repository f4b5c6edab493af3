import { type CreateLink, type LinkBody, link } from '@gatepost/contracts';
import { type ApiRequest, askAnonymously, askAsUser } from '../api-client.ts';
import { type Command, flagOption, textOption } from '../command.ts';
import { wrongUsage } from '../command-failed.ts';
import { CredentialFile } from '../credentials/credential-file.ts';
import { plain } from '../terminal.ts';
import { toTimestamp } from '../time.ts';

export const shorten: Command = {
  name: 'shorten',
  summary: 'Make a short link',
  usage: ['shorten <url> [--alias <code>] [--expires <when>] [--no-track]'],
  about: `Prints the short URL alone, so that it can be used in a pipe. Without a sign-in the link belongs to nobody, where the
server allows that.`,
  options: {
    alias: { type: 'string' },
    expires: { type: 'string' },
    'no-track': { type: 'boolean' },
  },
  optionHelp: {
    'alias <code>': 'The code to use: 6 to 8 letters and digits',
    'expires <when>': 'When the link ends: 30m, 12h, 7d, 4w, or 2030-01-01T00:00:00Z',
    'no-track': 'Count no clicks; browsers may then keep the redirect',
  },
  async run({ arguments: [longUrl, ...more], values }, context) {
    if (!longUrl || more.length > 0) throw wrongUsage('shorten takes one URL.');
    const alias = textOption(values, 'alias');
    const expires = textOption(values, 'expires');
    const body: CreateLink = {
      longUrl,
      ...(alias ? { customAlias: alias } : {}),
      ...(expires ? { expiresAt: toTimestamp(expires, '--expires', context.now()) } : {}),
      ...(flagOption(values, 'no-track') ? { trackClicks: false } : {}),
    };
    const request: ApiRequest<LinkBody> = { method: 'POST', path: '/shorten', body, answer: link };
    const { terminal } = context;
    const isSignedIn = await new CredentialFile(context.environment.configDir).find(
      context.baseUrl,
    );
    const made = await (isSignedIn ? askAsUser : askAnonymously)(context, request);
    terminal.show(made, plain(made.shortUrl));
    if (!terminal.isInteractive) return;
    const { dim } = terminal.noteStyle;
    if (made.expiresAt) terminal.note(dim(`  until ${new Date(made.expiresAt).toLocaleString()}`));
    if (!isSignedIn) terminal.note(dim('  You are not signed in: the link belongs to nobody.'));
  },
};
