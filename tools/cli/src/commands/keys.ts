import { type SigningKeyList, signingKeyList } from '@gatepost/contracts';
import { type Command, flagOption } from '../command.ts';
import type { Context } from '../context.ts';
import { askManagement, noArguments, pickAction } from '../management-client.ts';
import { plain, table } from '../terminal.ts';
import { ageOf } from '../time.ts';

const PATH = '/admin/signing-keys';

export const keys: Command = {
  name: 'keys',
  summary: 'Signing keys of the authorization server: list, rotate',
  usage: ['keys [list]', 'keys rotate [--immediately]'],
  about: `Keys rotate by themselves, and the next one is published before it signs. --immediately is for a key that leaked: some
clients may have to fetch the keys anew before they understand the next token.`,
  options: { immediately: { type: 'boolean' } },
  optionHelp: {
    immediately: 'Sign with the next keys at once, though clients may not have seen them',
  },
  async run({ arguments: words, values }, context) {
    const { action, rest } = pickAction(words, ['list', 'rotate']);
    noArguments(rest);
    const found = await askManagement(
      context,
      'auth',
      action === 'list'
        ? { method: 'GET', path: PATH, answer: signingKeyList }
        : {
            method: 'POST',
            path: `${PATH}/rotations`,
            body: { immediately: flagOption(values, 'immediately') },
            answer: signingKeyList,
          },
    );
    show(found, context);
  },
};

function show({ items }: SigningKeyList, { terminal, now }: Context): void {
  const rows = items.map(({ kid, alg, state, createdAt, signsFrom }) => [
    state,
    alg,
    ageOf(createdAt, now()),
    signsFrom && Date.parse(signsFrom) > now() ? `signs from ${signsFrom}` : '',
    plain(kid),
  ]);
  terminal.show(items, table([['STATE', 'ALG', 'MADE', '', 'KID'], ...rows], 10_000));
}
