import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

let folder: string | undefined;

/** Where programs and running servers are kept between runs: in the checkout, or the user's own cache where that is read-only. */
export function cacheFolder(...parts: string[]): string {
  folder ??= firstWritable([
    ...(process.env['GATEPOST_TEST_CACHE'] ? [process.env['GATEPOST_TEST_CACHE']] : []),
    fileURLToPath(new URL('../../../.cache/test-services', import.meta.url)),
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'gatepost', 'test-services'),
  ]);
  const path = join(folder, ...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

function firstWritable(candidates: string[]): string {
  for (const candidate of candidates) {
    try {
      mkdirSync(candidate, { recursive: true });
      accessSync(candidate, constants.W_OK);
      return candidate;
    } catch {
      // the next one
    }
  }
  throw new Error(`None of ${candidates.join(', ')} can be written.`);
}
