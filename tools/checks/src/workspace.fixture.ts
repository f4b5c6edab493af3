import { readSource } from './source-file.ts';
import type { Project, Workspace } from './workspace.ts';

type Sketch = Partial<Omit<Project, 'files'>> & { readonly files?: Record<string, string> };

/** A project as it should be; a broken one differs in what is given. */
function sketchProject(root: string, tags: readonly string[], sketch: Sketch): Project {
  const name = root.split('/')[1] as string;
  const packageName = `@gatepost/${name}`;
  const index = root.startsWith('libs/') ? { 'index.ts': "export { a } from './a.ts';\n" } : {};
  return {
    name,
    root,
    tags,
    packageName,
    entries: [packageName],
    inNpmWorkspace: true,
    dependencies: [],
    optionalDependencies: [],
    devDependencies: [],
    ...sketch,
    files: Object.entries({ ...index, ...sketch.files }).map(([path, text]) =>
      readSource(`${root}/src/${path}`, text),
    ),
  };
}

/** A small workspace in which every rule holds, with changes to some projects. */
export function sketchWorkspace(changes: Record<string, Sketch> = {}): Workspace {
  const projects: Record<string, readonly string[]> = {
    'apps/shortener': ['type:app', 'scope:shortener'],
    'apps/gateway-limiter': ['type:app', 'scope:gateway-limiter'],
    'apps/shortener-e2e': ['type:e2e', 'scope:shortener'],
    'libs/contracts': ['type:lib', 'scope:contracts'],
    'libs/limiter-core': ['type:lib', 'scope:limiter'],
    'libs/postgres': ['type:lib', 'scope:storage'],
    'libs/service-kit': ['type:lib', 'scope:shared'],
    'libs/embedded-postgres': ['type:lib', 'scope:development'],
    'tools/test-services': ['type:tool', 'scope:development'],
    'tools/platform': ['type:tool', 'scope:development'],
  };
  return {
    projects: Object.entries(projects).map(([root, tags]) =>
      sketchProject(root, tags, changes[root] ?? {}),
    ),
  };
}
