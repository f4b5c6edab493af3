import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSource, type SourceFile } from './source-file.ts';

export interface Project {
  readonly name: string;
  /** Relative to the workspace: `apps/shortener`. */
  readonly root: string;
  readonly tags: readonly string[];
  /** The npm name that others import it by. */
  readonly packageName: string;
  readonly dependencies: readonly string[];
  readonly optionalDependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** What may be imported of it: `@gatepost/limiter-core`, `@gatepost/limiter-core/contract`. */
  readonly entries: readonly string[];
  /** Installed by the root's npm install; other projects have a lockfile of their own. */
  readonly inNpmWorkspace: boolean;
  readonly files: readonly SourceFile[];
}

export interface Workspace {
  readonly projects: readonly Project[];
}

const GROUPS = ['apps', 'libs', 'tools'];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'generated', 'fixtures']);

/** Reads every project that has a project.json, as Nx does. */
export function readWorkspace(root: string): Workspace {
  const roots = GROUPS.filter((group) => existsSync(join(root, group))).flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  const patterns =
    (readJson(join(root, 'package.json'))['workspaces'] as string[] | undefined) ?? [];
  const isNpmWorkspace = (path: string): boolean =>
    patterns.some((pattern) => pattern === path || pattern === `${path.split('/')[0]}/*`);
  return {
    projects: roots
      .filter((path) => existsSync(join(root, path, 'project.json')))
      .map((path) => readProject(root, path, isNpmWorkspace)),
  };
}

function readProject(
  workspaceRoot: string,
  root: string,
  isNpmWorkspace: (path: string) => boolean,
): Project {
  const project = readJson(join(workspaceRoot, root, 'project.json'));
  const manifest = readJson(join(workspaceRoot, root, 'package.json'));
  const names = (field: string): string[] => Object.keys((manifest[field] as object) ?? {});
  const packageName = String(manifest['name'] ?? '');
  const entries = Object.keys((manifest['exports'] as object | undefined) ?? {});
  return {
    name: String(project['name']),
    root,
    tags: (project['tags'] as string[] | undefined) ?? [],
    packageName,
    entries: entries.map((entry) => `${packageName}${entry.slice(1)}`),
    inNpmWorkspace: isNpmWorkspace(root),
    dependencies: names('dependencies'),
    optionalDependencies: names('optionalDependencies'),
    devDependencies: names('devDependencies'),
    files: listSources(join(workspaceRoot, root, 'src')).map((name) =>
      readSource(
        `${root}/src/${name}`,
        readFileSync(join(workspaceRoot, root, 'src', name), 'utf8'),
      ),
    ),
  };
}

function listSources(folder: string, prefix = ''): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = `${prefix}${entry.name}`;
      if (entry.isDirectory()) {
        return SKIPPED_FOLDERS.has(entry.name)
          ? []
          : listSources(join(folder, entry.name), `${name}/`);
      }
      return entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [name] : [];
    });
}

function readJson(path: string): Record<string, unknown> {
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>)
    : {};
}

export function typeOf(project: Project): string | undefined {
  return tagValue(project, 'type:');
}

export function scopeOf(project: Project): string | undefined {
  return tagValue(project, 'scope:');
}

function tagValue(project: Project, prefix: string): string | undefined {
  return project.tags.find((tag) => tag.startsWith(prefix))?.slice(prefix.length);
}

/** Specs and what only specs use: they may reach for the tools of development. */
export function isSpec(path: string): boolean {
  return /\.(spec|contract|fixture)\.ts$/.test(path) || path.includes('/testing/');
}

/** `@gatepost/limiter-core/contract` is of @gatepost/limiter-core. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
