import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from './service.ts';

const SUITE = /\bdescribeWith\(\s*\[([^\]]*)\]/g;
const RELATIVE_IMPORT = /\bfrom '(\.{1,2}\/[^']+\.ts)'/g;

/**
 * The services that the specs under `folder` name in `describeWith`, in themselves or in what they import relatively. Only the
 * specs whose path matches a pattern count, when there are patterns.
 */
export function servicesOfSpecs(folder: string, patterns: readonly string[] = []): ServiceName[] {
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'i'));
  const specs = listSpecs(folder).filter(
    (path) => expressions.length === 0 || expressions.some((expression) => expression.test(path)),
  );
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const spec of specs) collectServices(spec, found, seen);
  return SERVICE_NAMES.filter((name) => found.has(name));
}

function collectServices(path: string, found: Set<string>, seen: Set<string>): void {
  if (seen.has(path) || !existsSync(path)) return;
  seen.add(path);
  const source = readFileSync(path, 'utf8');
  for (const [, list = ''] of source.matchAll(SUITE)) {
    for (const [, name = ''] of list.matchAll(/'([a-z-]+)'/g)) found.add(name);
  }
  for (const [, target = ''] of source.matchAll(RELATIVE_IMPORT)) {
    collectServices(resolve(dirname(path), target), found, seen);
  }
}

function listSpecs(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules'));
}
