import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { asyncApiDocument } from './asyncapi-document.ts';

/** The committed description. Beside `src` as beside `dist`. */
export const ASYNCAPI_FILE = fileURLToPath(new URL('../../asyncapi.json', import.meta.url));

export function asyncApiFileContent(): string {
  return `${JSON.stringify(asyncApiDocument(), null, 2)}\n`;
}

/** `asyncapi`: writes the file anew after the contract has changed. */
export async function runAsyncApi(): Promise<void> {
  writeFileSync(ASYNCAPI_FILE, asyncApiFileContent());
}
