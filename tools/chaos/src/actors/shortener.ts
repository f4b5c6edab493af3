import { type App, PUBLIC_URL } from '../app.ts';
import type { Client } from '../http.ts';
import type { Stage } from '../stage.ts';

/** A shortener process that opens no connection of its own accord but to its stores. */
export function startShortener(
  stage: Stage,
  name: string,
  env: Readonly<Record<string, string>>,
  command?: 'worker',
): Promise<App> {
  return stage.startApp({
    name,
    app: 'shortener',
    ...(command === undefined ? {} : { command }),
    env: { PUBLIC_URL, SCAN_DESTINATIONS: 'false', ANONYMOUS_CREATE: 'true', ...env },
  });
}

/** Creates links, a few at a time, and gives their codes. */
export async function createLinks(
  client: Client,
  url: string,
  count: number,
  options: Readonly<Record<string, unknown>> = {},
): Promise<string[]> {
  const codes: string[] = [];
  const createOne = async (number: number) => {
    const body = { longUrl: `https://example.com/page/${number}`, ...options };
    const { status, text, lost } = await client.postJson(`${url}/shorten`, body);
    if (status !== 201) throw new Error(`a link could not be created: ${lost ?? status} ${text}`);
    codes.push((JSON.parse(text) as { code: string }).code);
  };
  let next = 0;
  const work = async () => {
    while (next < count) await createOne(next++);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return codes;
}
