import {
  type ChangeClient,
  type ClientView,
  clientPage,
  clientView,
  initialAccessToken,
  registeredClient,
  rotatedSecret,
} from '@gatepost/contracts';
import { type Command, flagOption, listOption, textOption, type Values } from '../command.ts';
import { wrongUsage } from '../command-failed.ts';
import type { Context } from '../context.ts';
import {
  askManagement,
  fetchAll,
  insistOnYes,
  noArguments,
  pickAction,
  soleArgument,
} from '../management-client.ts';
import { plain, table } from '../terminal.ts';
import { toSeconds } from '../time.ts';

const PATH = '/admin/clients';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export const clients: Command = {
  name: 'clients',
  summary: 'Applications that may ask for tokens',
  usage: [
    'clients [list]',
    'clients show <id>',
    'clients create --name <name> [--id <id>] [--redirect <uri> …] [--scope <scope> …] [--grant <grant> …]',
    'clients change <id> [options as for create]',
    'clients rotate-secret <id> [--overlap <duration>]',
    'clients disable <id> | enable <id>',
    'clients remove <id> --yes',
    'clients registration-token [--valid <duration>]',
  ],
  about: `A client is a confidential web application unless --public, --native or --auth says otherwise. Secrets are shown once.
registration-token lets its holder register clients, where dynamic registration is on.`,
  options: {
    id: { type: 'string' },
    name: { type: 'string' },
    redirect: { type: 'string', multiple: true },
    'logout-redirect': { type: 'string', multiple: true },
    scope: { type: 'string', multiple: true },
    grant: { type: 'string', multiple: true },
    auth: { type: 'string' },
    public: { type: 'boolean' },
    native: { type: 'boolean' },
    'jwks-uri': { type: 'string' },
    'id-token-alg': { type: 'string' },
    introspects: { type: 'string', multiple: true },
    'logout-uri': { type: 'string' },
    'require-par': { type: 'boolean' },
    'require-dpop': { type: 'boolean' },
    overlap: { type: 'string' },
    valid: { type: 'string' },
    yes: { type: 'boolean' },
  },
  optionHelp: {
    'id <id>': 'Its client_id (default: made up)',
    'name <name>': 'The name that people see when they are asked for consent',
    'redirect <uri>': 'Where it may be called back; compared exactly; may be repeated',
    'logout-redirect <uri>': 'Where people may be sent after signing out; may be repeated',
    'scope <scope>': 'An API scope it may be granted, e.g. links:read; may be repeated',
    'grant <grant>':
      'authorization_code, refresh_token, client_credentials or device; may be repeated',
    'auth <method>': 'client_secret_basic, client_secret_post, private_key_jwt or none',
    public: 'It has no secret: the same as --auth none',
    native: 'It runs on people’s own machines; implies --public',
    'jwks-uri <uri>': 'Where its public keys are, for private_key_jwt',
    'id-token-alg <alg>': 'ES256 (default) or RS256',
    'introspects <resource>': 'A resource server whose tokens it may introspect; may be repeated',
    'logout-uri <uri>': 'Where it is told of sign-outs (back-channel logout)',
    'require-par': 'It must push its authorization requests (PAR)',
    'require-dpop': 'Its access tokens are bound to a key (DPoP)',
    'overlap <duration>': 'How long the old secret stays valid beside the new one (default: 1d)',
    'valid <duration>': 'How long a registration token is valid (default: 1d)',
    yes: 'Really remove it',
  },
  async run({ arguments: words, values }, context) {
    const { action, rest } = pickAction(words, [
      'list',
      'show',
      'create',
      'change',
      'rotate-secret',
      'disable',
      'enable',
      'remove',
      'registration-token',
    ]);
    switch (action) {
      case 'list':
        noArguments(rest);
        return list(context);
      case 'create':
        noArguments(rest);
        return create(values, context);
      case 'registration-token':
        noArguments(rest);
        return issueRegistrationToken(values, context);
      case 'show':
        return show(pathOf(rest), context);
      case 'change':
        return change(pathOf(rest), values, context);
      case 'rotate-secret':
        return rotateSecret(pathOf(rest), values, context);
      case 'remove':
        return remove(pathOf(rest), values, context);
      default:
        return toggle(pathOf(rest), action, context);
    }
  },
};

function pathOf(rest: readonly string[]): string {
  return `${PATH}/${encodeURIComponent(soleArgument(rest, 'client'))}`;
}

async function list(context: Context): Promise<void> {
  const items = await fetchAll(context, 'auth', PATH, clientPage);
  const rows = items.map((client) => [
    plain(client.clientId),
    plain(client.name),
    client.authentication === 'none' ? 'public' : 'confidential',
    client.disabledAt ? 'disabled' : plain(client.origin),
    client.apiScopes.join(' '),
  ]);
  const heading = ['CLIENT', 'NAME', 'KIND', 'FROM', 'API SCOPES'];
  context.terminal.show(
    items,
    rows.length === 0 ? 'No clients.' : table([heading, ...rows], 10_000),
  );
}

async function show(path: string, context: Context): Promise<void> {
  const client = await askManagement(context, 'auth', { method: 'GET', path, answer: clientView });
  context.terminal.show(client, describe(client));
}

async function create(values: Values, context: Context): Promise<void> {
  const name = textOption(values, 'name');
  if (!name) throw wrongUsage('--name is missing: people see it when they are asked for consent.');
  const clientId = textOption(values, 'id');
  const made = await askManagement(context, 'auth', {
    method: 'POST',
    path: PATH,
    body: { ...readMembers(values), name, ...(clientId ? { clientId } : {}) },
    answer: registeredClient,
  });
  const secret = made.clientSecret ? `\nsecret         ${made.clientSecret}` : '';
  context.terminal.show(made, `${describe(made)}${secret}`);
  if (secret)
    context.terminal.note(context.terminal.noteStyle.dim('The secret is not shown again.'));
}

async function change(path: string, values: Values, context: Context): Promise<void> {
  const body = readMembers(values);
  if (Object.keys(body).length === 0) throw wrongUsage('Name something to change.');
  const client = await askManagement(context, 'auth', {
    method: 'PATCH',
    path,
    body,
    answer: clientView,
  });
  context.terminal.show(client, describe(client));
}

async function rotateSecret(path: string, values: Values, context: Context): Promise<void> {
  const overlap = textOption(values, 'overlap');
  const rotated = await askManagement(context, 'auth', {
    method: 'POST',
    path: `${path}/secrets`,
    body: overlap ? { overlapSeconds: toSeconds(overlap, '--overlap') } : {},
    answer: rotatedSecret,
  });
  context.terminal.show(rotated, plain(rotated.clientSecret));
  const until = rotated.previousExpireAt;
  const old = until ? ` The old one works until ${new Date(until).toLocaleString()}.` : '';
  context.terminal.note(
    context.terminal.noteStyle.dim(
      `The new secret of ${plain(rotated.clientId)}. It is not shown again.${old}`,
    ),
  );
}

async function toggle(path: string, action: 'disable' | 'enable', context: Context): Promise<void> {
  const client = await askManagement(context, 'auth', {
    method: 'POST',
    path: `${path}/${action}`,
    answer: clientView,
  });
  context.terminal.show(client, `${plain(client.clientId)} is ${action}d.`);
}

async function remove(path: string, values: Values, context: Context): Promise<void> {
  insistOnYes(flagOption(values, 'yes'), 'Its tokens end with it.');
  await askManagement(context, 'auth', { method: 'DELETE', path });
  context.terminal.show({ removed: true }, 'The client is removed.');
}

async function issueRegistrationToken(values: Values, context: Context): Promise<void> {
  const valid = textOption(values, 'valid');
  const issued = await askManagement(context, 'auth', {
    method: 'POST',
    path: '/admin/initial-access-tokens',
    body: valid ? { expiresInSeconds: toSeconds(valid, '--valid') } : {},
    answer: initialAccessToken,
  });
  context.terminal.show(issued, plain(issued.token));
}

/** The members that the options name; the server has the defaults and the rules. */
function readMembers(values: Values): ChangeClient {
  const isNative = flagOption(values, 'native');
  const isPublic = isNative || flagOption(values, 'public');
  const members = {
    name: textOption(values, 'name'),
    redirectUris: listOption(values, 'redirect'),
    postLogoutRedirectUris: listOption(values, 'logout-redirect'),
    apiScopes: listOption(values, 'scope')?.flatMap((scopes) => scopes.split(/\s+/)),
    grantTypes: listOption(values, 'grant')?.map((grant) =>
      grant === 'device' ? DEVICE_GRANT : grant,
    ),
    authentication: textOption(values, 'auth') ?? (isPublic ? 'none' : undefined),
    applicationType: isNative ? 'native' : undefined,
    jwksUri: textOption(values, 'jwks-uri'),
    idTokenAlgorithm: textOption(values, 'id-token-alg'),
    introspects: listOption(values, 'introspects'),
    backchannelLogoutUri: textOption(values, 'logout-uri'),
    requirePushedAuthorizationRequests: flagOption(values, 'require-par') || undefined,
    dpopBoundAccessTokens: flagOption(values, 'require-dpop') || undefined,
  };
  const named = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as ChangeClient;
}

function describe(client: ClientView): string {
  const rows = [
    ['client_id', client.clientId],
    ['name', client.name],
    ['signs in by', client.authentication],
    ['grants', client.grantTypes.join(', ')],
    ['API scopes', client.apiScopes.join(' ') || '–'],
    ...client.redirectUris.map((uri, index) => [index === 0 ? 'redirects' : '', uri]),
    ...client.secrets.map(({ createdAt, expiresAt }, index) => [
      index === 0 ? 'secrets' : '',
      `since ${createdAt.slice(0, 10)}${expiresAt ? `, until ${expiresAt}` : ''}`,
    ]),
    ['state', client.disabledAt ? `disabled since ${client.disabledAt}` : 'enabled'],
  ];
  return rows.map(([what = '', text = '']) => `${what.padEnd(13)}  ${plain(text)}`).join('\n');
}
