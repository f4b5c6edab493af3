import { problem } from '@gatepost/contracts';
import type { z } from 'zod';
import { CommandFailed, signInNeeded } from './command-failed.ts';
import type { Context } from './context.ts';
import { freshSession } from './credentials/current-session.ts';
import { ExitCode } from './exit-code.ts';
import { plain } from './terminal.ts';

const TIMEOUT_MS = 30_000;

export interface ApiRequest<T> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** What a good answer looks like; absent when it has no body. */
  readonly answer?: z.ZodType<T>;
}

/** Asks the API as the signed-in user. A token that was refused (revoked, or keys lost) is renewed once. */
export async function askAsUser<T>(context: Context, request: ApiRequest<T>): Promise<T> {
  const session = await freshSession(context);
  const response = await send(context, context.baseUrl, request, session.accessToken);
  if (response.status !== 401 || !session.refreshToken) return readAnswer(response, request);
  await response.body?.cancel();
  const renewed = await freshSession(context, session.accessToken);
  return readAnswer(await send(context, context.baseUrl, request, renewed.accessToken), request);
}

/** Asks the API as nobody in particular. */
export async function askAnonymously<T>(context: Context, request: ApiRequest<T>): Promise<T> {
  return readAnswer(await send(context, context.baseUrl, request), request);
}

export async function send<T>(
  context: Context,
  address: string,
  { method, path, query = {}, body }: ApiRequest<T>,
  token?: string,
): Promise<Response> {
  const url = new URL(`${address}${path}`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  try {
    return await context.fetch(url, {
      method,
      headers: {
        accept: 'application/json, application/problem+json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      // A redirect must not carry the token elsewhere.
      redirect: 'error',
      signal: AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  } catch (cause) {
    if (context.signal.aborted) throw context.signal.reason;
    throw new CommandFailed(`${address} cannot be reached.`, {
      exitCode: ExitCode.unavailable,
      cure: 'Is it running there? "gatepost doctor" looks closer.',
      cause,
    });
  }
}

export async function readAnswer<T>(response: Response, request: ApiRequest<T>): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw toFailure(response, text);
  if (!request.answer) return undefined as T;
  const parsed = request.answer.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CommandFailed('The server answered something this version does not understand.', {
    cure: 'Does the address lead to a Gatepost of the same version?',
    cause: parsed.error,
  });
}

/** A problem (RFC 9457) in one sentence, its faulty members in a line each. */
function toFailure(response: Response, text: string): CommandFailed {
  const { status } = response;
  const parsed = problem.safeParse(parseJson(text));
  const detail = parsed.success ? parsed.data.detail : `The server answered ${status}`;
  const sentence = plain(detail).replace(/[^.!?…]$/, '$&.');
  if (status === 401) return signInNeeded(sentence);
  const faults = parsed.success ? (parsed.data.errors ?? []) : [];
  return new CommandFailed(sentence, {
    exitCode: status >= 500 || status === 429 ? ExitCode.unavailable : ExitCode.refused,
    particulars: [
      ...faults.map(({ pointer, detail: fault }) => plain(`${pointer || '(body)'}: ${fault}`)),
      ...(parsed.success && status >= 500 ? [`request ${plain(parsed.data.requestId)}`] : []),
    ],
    cure: cureOf(response),
  });
}

function cureOf({ status, headers }: Response): string | undefined {
  const retryAfter = Number(headers.get('retry-after'));
  if ((status === 429 || status === 503) && retryAfter > 0) return `Try again in ${retryAfter} s.`;
  const [, scope] = /\bscope="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
  if (status === 403 && scope)
    return `Run "gatepost login --scope '${plain(scope)}'" to ask for it.`;
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
