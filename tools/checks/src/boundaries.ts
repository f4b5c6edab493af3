import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { Finding } from './finding.ts';
import type { ImportedModule, SourceFile } from './source-file.ts';
import { isSpec, type Project, packageOf, scopeOf, typeOf, type Workspace } from './workspace.ts';

/** What each kind of project may import. A tool that drives the apps says so with the tag `imports:apps`. */
const IMPORTABLE_TYPES: Record<string, readonly string[]> = {
  app: ['lib'],
  lib: ['lib'],
  tool: ['lib', 'tool'],
  e2e: ['lib', 'tool'],
};

/**
 * Who may import a lib of each scope. A scope that is not listed is open to all. The gateway keeps nothing but counters, so it has
 * no way to a database; links and the gateway guard tokens, auth-server issues them.
 */
const SCOPE_IMPORTERS: Record<string, readonly string[]> = {
  storage: ['auth-server', 'shortener', 'development', 'storage'],
  limiter: ['gateway-limiter', 'development', 'limiter'],
  identity: ['shortener', 'gateway-limiter', 'development', 'identity', 'cli'],
  development: ['development', 'cli'],
};

/** Libs that stay free of everything but the named packages, so that anybody may use them anywhere. */
const ONLY_EXTERNALS: Record<string, readonly string[]> = {
  contracts: ['zod'],
  'limiter-core': [],
};

/** Where production must never lead to: loaded on demand, from development defaults only. */
const ON_DEMAND = '@gatepost/embedded-postgres';

export function checkTags({ projects }: Workspace): Finding[] {
  return projects.flatMap((project) =>
    ['type:', 'scope:']
      .filter((prefix) => project.tags.filter((tag) => tag.startsWith(prefix)).length !== 1)
      .map((prefix) => ({
        rule: 'tags',
        file: `${project.root}/project.json`,
        message: `needs exactly one ${prefix} tag`,
      }))
      .concat(
        typeOf(project) !== undefined && !((typeOf(project) as string) in IMPORTABLE_TYPES)
          ? [
              {
                rule: 'tags',
                file: `${project.root}/project.json`,
                message: `unknown type:${typeOf(project)}`,
              },
            ]
          : [],
      ),
  );
}

export function checkBoundaries(workspace: Workspace): Finding[] {
  const byPackage = new Map(workspace.projects.map((project) => [project.packageName, project]));
  return workspace.projects.flatMap((project) => [
    ...checkOnDemand(project),
    ...project.files.flatMap((file) =>
      file.imports.flatMap((imported) => {
        const complaint = complain(project, file, imported, byPackage);
        return complaint === undefined
          ? []
          : [{ rule: 'boundaries', file: file.path, line: imported.line, message: complaint }];
      }),
    ),
  ]);
}

function complain(
  project: Project,
  file: SourceFile,
  imported: ImportedModule,
  byPackage: Map<string, Project>,
): string | undefined {
  const { specifier } = imported;
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file.path), specifier);
    return target.startsWith(`${project.root}/`) ? undefined : `leaves its project by ${specifier}`;
  }
  const name = packageOf(specifier);
  const target = byPackage.get(name);
  if (target === project) return `imports itself by its package name ${name}`;
  return target === undefined
    ? complainExternal(project, file, specifier, name)
    : complainProject(project, file, imported, target);
}

function complainProject(
  project: Project,
  file: SourceFile,
  imported: ImportedModule,
  target: Project,
): string | undefined {
  const [own, other] = [typeOf(project) ?? '', typeOf(target) ?? ''];
  if (!target.entries.includes(imported.specifier))
    return `reaches into ${target.name}: import ${target.packageName}`;
  // A tool is never shipped: to it, a development dependency is one like any other.
  if (!declares(project, target.packageName, isSpec(file.path) || own === 'tool'))
    return `${target.packageName} is not in its package.json`;
  if (isSpec(file.path) && other !== 'app') return undefined;
  const mayImportApps = project.tags.includes('imports:apps');
  if (!IMPORTABLE_TYPES[own]?.includes(other) && !(other === 'app' && mayImportApps)) {
    return `type:${own} must not import type:${other} (${target.name})`;
  }
  if (target.packageName === ON_DEMAND && own !== 'tool') {
    return imported.dynamic ? undefined : `${ON_DEMAND} is loaded on demand only: await import()`;
  }
  const importers = SCOPE_IMPORTERS[scopeOf(target) ?? ''];
  if (importers !== undefined && own !== 'e2e' && !importers.includes(scopeOf(project) ?? '')) {
    return `scope:${scopeOf(project)} must not import scope:${scopeOf(target)} (${target.name})`;
  }
  return undefined;
}

function complainExternal(
  project: Project,
  file: SourceFile,
  specifier: string,
  name: string,
): string | undefined {
  if (isSpec(file.path)) return undefined; // the workspace's own development dependencies
  const only = ONLY_EXTERNALS[project.name];
  if (only !== undefined && !only.includes(name)) {
    return `${project.name} imports nothing but ${only.join(', ') || 'its own files'}, not ${name}`;
  }
  if (isBuiltin(specifier)) return undefined;
  const development = typeOf(project) === 'e2e' || typeOf(project) === 'tool';
  return development || declares(project, name, false)
    ? undefined
    : `${name} is not in its package.json`;
}

/** Nobody installs it for production: npm leaves optional dependencies out of the images. */
function checkOnDemand(project: Project): Finding[] {
  if (typeOf(project) === 'tool' || !project.dependencies.includes(ON_DEMAND)) return [];
  return [
    {
      rule: 'boundaries',
      file: `${project.root}/package.json`,
      message: `${ON_DEMAND} belongs into optionalDependencies`,
    },
  ];
}

function declares(project: Project, name: string, inSpec: boolean): boolean {
  return (
    !project.inNpmWorkspace ||
    project.dependencies.includes(name) ||
    project.optionalDependencies.includes(name) ||
    (inSpec && project.devDependencies.includes(name))
  );
}
