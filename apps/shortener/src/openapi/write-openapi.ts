import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from './openapi-document.ts';

/** The committed description, with the address of the default configuration. Beside `src` as beside `dist`. */
export const OPENAPI_FILE = fileURLToPath(new URL('../../openapi.json', import.meta.url));

export function openApiFileContent(): string {
  return `${JSON.stringify(openApiDocument('http://localhost:8080'), null, 2)}\n`;
}

/** `openapi`: writes the file anew after the contracts have changed. */
export async function runOpenApi(): Promise<void> {
  writeFileSync(OPENAPI_FILE, openApiFileContent());
}
