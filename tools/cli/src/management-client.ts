import type { z } from 'zod';
import { type ApiRequest, readAnswer, send } from './api-client.ts';
import { CommandFailed, wrongUsage } from './command-failed.ts';
import type { Context } from './context.ts';
import { isLoopback, type ManagementDoor } from './environment.ts';
import { ExitCode } from './exit-code.ts';

/** What services accept in development; production refuses to start with it. */
const DEVELOPMENT_TOKEN = 'gatepost-development';

/** Asks a service at its management door, as an operator. */
export async function askManagement<T>(
  context: Context,
  door: ManagementDoor,
  request: ApiRequest<T>,
): Promise<T> {
  const address = context.environment.managementUrls[door];
  const response = await send(context, address, request, managementToken(context, address));
  if (response.status !== 401) return readAnswer(response, request);
  await response.body?.cancel();
  throw new CommandFailed(`The management door at ${address} does not accept the token.`, {
    exitCode: ExitCode.signInNeeded,
    cure: 'Set MANAGEMENT_TOKEN to the one that the service runs with.',
  });
}

/** The operator's token; it goes to this machine, over TLS, or where plain http was allowed, and nowhere else. */
export function managementToken({ environment }: Context, address: string): string {
  const isLocal = isLoopback(address);
  if (!isLocal && address.startsWith('http://') && !environment.allowHttp)
    throw new CommandFailed(`${address} is not encrypted, and the token would travel readable.`, {
      exitCode: ExitCode.usage,
      cure: 'Forward the port (kubectl port-forward, ssh -L), or set GATEPOST_ALLOW_HTTP=true.',
    });
  const token = environment.managementToken ?? (isLocal ? DEVELOPMENT_TOKEN : undefined);
  if (!token)
    throw wrongUsage(
      'This is for operators: MANAGEMENT_TOKEN is not set.',
      'Set it to the token that the services run with.',
    );
  return token;
}

/** The action that a command was given, e.g. `create` in `gatepost api-keys create acme`. */
export function pickAction<A extends string>(
  words: readonly string[],
  actions: readonly [A, ...A[]],
): { action: A; rest: readonly string[] } {
  const [word, ...rest] = words;
  if (word === undefined) return { action: actions[0], rest: [] };
  const action = actions.find((known) => known === word);
  if (!action) throw wrongUsage(`"${word}" is not one of: ${actions.join(', ')}.`);
  return { action, rest };
}

/** Every page of a list. */
export async function fetchAll<T>(
  context: Context,
  door: ManagementDoor,
  path: string,
  page: z.ZodType<{ items: T[]; nextCursor: string | null }>,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const request = { method: 'GET', path, query: { ...query, cursor }, answer: page } as const;
    const answer = await askManagement(context, door, request);
    items.push(...answer.items);
    cursor = answer.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** What cannot be undone has to be meant. */
export function insistOnYes(isMeant: boolean, consequence: string): void {
  if (!isMeant) throw wrongUsage(`This cannot be undone. ${consequence}`, 'Add --yes to do it.');
}

/** The one argument that an action takes. */
export function soleArgument(words: readonly string[], what: string): string {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) throw wrongUsage(`Name one ${what}.`);
  return word;
}

export function noArguments(words: readonly string[]): void {
  if (words.length > 0) throw wrongUsage(`"${words[0]}" is one word too many.`);
}
