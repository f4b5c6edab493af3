import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { WORKSPACE } from './compose.ts';

export interface Ran {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a built app as its container would, in an environment of its own. */
export function runApp(
  app: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Ran {
  const main = join(WORKSPACE, 'apps', app, 'dist/main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { exitCode: status, out: stdout, err: stderr };
}

const known = new Map<string, string[]>();

/** The commands that an app says it has. The gateway has one thing to do and takes none. */
export function commandsOf(app: string): string[] {
  if (app === 'gateway-limiter') return [];
  let commands = known.get(app);
  if (commands === undefined) {
    const { err } = runApp(app, ['no-such-command']);
    const [, list = ''] = /(?:\[|there are )([a-z-]+(?:(?: \| |, )[a-z-]+)*)/.exec(err) ?? [];
    commands = list.split(/ \| |, /);
    known.set(app, commands);
  }
  return commands;
}

/** The app of an image of ours; undefined for the images of others. */
export function appOfImage(image: string): string | undefined {
  return /^gatepost\/([\w-]+)(?::|$)/.exec(image)?.[1];
}
