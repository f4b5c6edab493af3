import {
  registeredUser,
  temporaryPassword,
  type UserView,
  userPage,
  userView,
} from '@gatepost/contracts';
import { type Command, flagOption, textOption, type Values } from '../command.ts';
import { CommandFailed, wrongUsage } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import {
  askManagement,
  fetchAll,
  insistOnYes,
  noArguments,
  pickAction,
  soleArgument,
} from '../management-client.ts';
import { plain, table } from '../terminal.ts';

const PATH = '/admin/users';

export const users: Command = {
  name: 'users',
  summary: 'People who can sign in',
  usage: [
    'users [list] [--search <text>]',
    'users create --email <email> --name <name>',
    'users reset-password <user>',
    'users disable <user> | enable <user>',
    'users end-sessions <user>',
    'users remove <user> --yes',
  ],
  about: `A user is named by e-mail address or id. New users and reset passwords get a temporary password, shown once, which its
owner has to change at the next sign-in.`,
  options: {
    search: { type: 'string', short: 's' },
    email: { type: 'string' },
    name: { type: 'string' },
    yes: { type: 'boolean' },
  },
  optionHelp: {
    'search <text>': 'Only users whose name or address contains this',
    'email <email>': 'Their e-mail address',
    'name <name>': 'Their name',
    yes: 'Really remove them',
  },
  async run({ arguments: words, values }, context) {
    const { action, rest } = pickAction(words, [
      'list',
      'create',
      'reset-password',
      'disable',
      'enable',
      'end-sessions',
      'remove',
    ]);
    if (action === 'list' || action === 'create') {
      noArguments(rest);
      return action === 'list' ? list(values, context) : create(values, context);
    }
    const who = soleArgument(rest, 'user');
    if (action === 'remove')
      insistOnYes(flagOption(values, 'yes'), 'Their sessions and grants end with them.');
    const { id, email } = await findUser(who, context);
    const path = `${PATH}/${encodeURIComponent(id)}`;
    switch (action) {
      case 'reset-password':
        return resetPassword(path, email, context);
      case 'end-sessions':
        await askManagement(context, 'auth', { method: 'POST', path: `${path}/end-sessions` });
        return context.terminal.show(
          { id, ended: true },
          `${plain(email)} is signed out everywhere.`,
        );
      case 'remove':
        await askManagement(context, 'auth', { method: 'DELETE', path });
        return context.terminal.show({ id, removed: true }, `${plain(email)} is removed.`);
      default: {
        const request = { method: 'POST', path: `${path}/${action}`, answer: userView } as const;
        const changed = await askManagement(context, 'auth', request);
        return context.terminal.show(changed, `${plain(email)} is ${action}d.`);
      }
    }
  },
};

async function list(values: Values, context: Context): Promise<void> {
  const query = { q: textOption(values, 'search') };
  const items = await fetchAll(context, 'auth', PATH, userPage, query);
  const rows = items.map((user) => [
    plain(user.email),
    plain(user.name ?? ''),
    user.disabled ? 'disabled' : user.passwordIsTemporary ? 'temporary password' : 'enabled',
    user.createdAt.slice(0, 10),
    user.id,
  ]);
  const heading = ['E-MAIL', 'NAME', 'STATE', 'SINCE', 'ID'];
  context.terminal.show(items, rows.length === 0 ? 'No users.' : table([heading, ...rows], 10_000));
}

async function create(values: Values, context: Context): Promise<void> {
  const email = textOption(values, 'email');
  const name = textOption(values, 'name');
  if (!email || !name) throw wrongUsage('--email and --name are needed.');
  const made = await askManagement(context, 'auth', {
    method: 'POST',
    path: PATH,
    body: { email, name },
    answer: registeredUser,
  });
  tellPassword(made, made.email, made.temporaryPassword, context);
}

async function resetPassword(path: string, email: string, context: Context): Promise<void> {
  const reset = await askManagement(context, 'auth', {
    method: 'POST',
    path: `${path}/reset-password`,
    answer: temporaryPassword,
  });
  tellPassword(reset, email, reset.temporaryPassword, context);
}

function tellPassword(
  answer: object,
  email: string,
  password: string | undefined,
  { terminal }: Context,
): void {
  terminal.show(answer, plain(password ?? ''));
  terminal.note(
    terminal.noteStyle.dim(`Temporary password of ${plain(email)}. It is not shown again.`),
  );
}

async function findUser(who: string, context: Context): Promise<UserView> {
  if (!who.includes('@')) {
    const path = `${PATH}/${encodeURIComponent(who)}`;
    return askManagement(context, 'auth', { method: 'GET', path, answer: userView });
  }
  const found = await fetchAll(context, 'auth', PATH, userPage, { q: who });
  const user = found.find(({ email }) => email.toLowerCase() === who.toLowerCase());
  if (user) return user;
  throw new CommandFailed(`There is no user ${who}.`, { exitCode: ExitCode.refused });
}
