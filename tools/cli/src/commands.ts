import type { Command } from './command.ts';
import { apiKeys } from './commands/api-keys.ts';
import { clients } from './commands/clients.ts';
import { doctor } from './commands/doctor.ts';
import { keys } from './commands/keys.ts';
import { limits } from './commands/limits.ts';
import { links } from './commands/links.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { shorten } from './commands/shorten.ts';
import { stats } from './commands/stats.ts';
import { users } from './commands/users.ts';
import { whoami } from './commands/whoami.ts';
import type { CommandGroup } from './help.ts';

/** Everything that `gatepost` can do. */
export const commandGroups: readonly CommandGroup[] = [
  { title: 'Your account', commands: [login, whoami, logout] },
  { title: 'Your links', commands: [shorten, links, stats] },
  { title: 'For operators', commands: [clients, users, keys, apiKeys, limits, doctor] },
];

export const commands: ReadonlyMap<string, Command> = new Map(
  commandGroups.flatMap((group) => group.commands.map((command) => [command.name, command])),
);
