import type { Finding } from './finding.ts';
import type { SourceFile } from './source-file.ts';
import { isSpec, type Project, typeOf, type Workspace } from './workspace.ts';

const STORAGE = /^(pg|@prisma\/.*)$|(^|\/)generated\//;
const STORAGE_FILES = /(\.repository|\/prisma\.service)\.ts$/;
/** Where a process begins: the files at the top of an app, and the jobs in its rooms. */
const BEGINNING = /^apps\/[^/]+\/src\/([^/]+|.*\/run-[^/]+)\.ts$/;
/** The one lib that starts all services. */
const SERVICE_START = 'libs/service-kit/';
const STORAGE_LIBS = ['libs/postgres', 'libs/embedded-postgres'];

const MAX_CODE_LINES = 300;
const MAX_CONSTRUCTOR_PARAMETERS = 4;

/** Rows and statements stay where a reader looks for them. */
export function checkStorage(workspace: Workspace): Finding[] {
  return eachFile(workspace, ['app', 'lib'], (file, project) => {
    if (isSpec(file.path) || STORAGE_FILES.test(file.path) || STORAGE_LIBS.includes(project.root))
      return [];
    return file.imports
      .filter(({ specifier }) => STORAGE.test(specifier))
      .map(({ specifier, line }) => ({
        rule: 'storage',
        file: file.path,
        line,
        message: `${specifier} belongs into *.repository.ts or prisma.service.ts`,
      }));
  });
}

export function checkControllers(workspace: Workspace): Finding[] {
  return eachFile(workspace, ['app', 'lib'], (file) =>
    file.path.endsWith('.controller.ts')
      ? file.imports
          .filter(({ specifier }) => specifier.endsWith('.repository.ts'))
          .map(({ specifier, line }) => ({
            rule: 'controllers',
            file: file.path,
            line,
            message: `a controller asks a service, not ${specifier}`,
          }))
      : [],
  );
}

/** A process hands its whole environment to the schema of env.ts where it begins; nobody picks a variable out of it. */
export function checkEnvironment(workspace: Workspace): Finding[] {
  return eachFile(workspace, ['app', 'lib'], (file) => {
    if (isSpec(file.path) || file.path.startsWith(SERVICE_START)) return [];
    return file.environmentReads
      .filter(({ handsOver }) => !(handsOver && BEGINNING.test(file.path)))
      .map(({ line }) => ({
        rule: 'environment',
        file: file.path,
        line,
        message:
          'the environment is read once, by the schema of env.ts; take the part you need as an argument',
      }));
  });
}

export function checkIndexes(workspace: Workspace): Finding[] {
  return workspace.projects.flatMap((project) => {
    const indexes = project.files.filter(({ path }) => path.endsWith('/index.ts'));
    const wanted = typeOf(project) === 'lib' ? `${project.root}/src/index.ts` : undefined;
    const rule = 'indexes';
    return [
      ...(wanted !== undefined && !indexes.some(({ path }) => path === wanted)
        ? [{ rule, file: wanted, message: 'a lib has one index.ts' }]
        : []),
      ...indexes
        .filter(({ path }) =>
          typeOf(project) === 'lib' ? path !== wanted : typeOf(project) !== 'tool',
        )
        .map(({ path }) => ({
          rule,
          file: path,
          message: 'no index.ts here: import the file itself',
        })),
      ...indexes
        .filter(({ path }) => path === wanted)
        .flatMap(({ path, unnamedExports }) =>
          unnamedExports.map((line) => ({
            rule,
            file: path,
            line,
            message: 'index.ts names what it exports from its files, and does nothing else',
          })),
        ),
    ];
  });
}

export function checkSizes(workspace: Workspace): Finding[] {
  return eachFile(workspace, ['app', 'lib', 'tool', 'e2e'], (file) => [
    ...(file.codeLines > MAX_CODE_LINES && !isSpec(file.path)
      ? [
          {
            rule: 'sizes',
            file: file.path,
            message: `${file.codeLines} lines of code, at most ${MAX_CODE_LINES}`,
          },
        ]
      : []),
    ...file.constructors
      .filter(({ parameters }) => parameters > MAX_CONSTRUCTOR_PARAMETERS)
      .map(({ line, parameters }) => ({
        rule: 'sizes',
        file: file.path,
        line,
        message: `${parameters} constructor parameters, at most ${MAX_CONSTRUCTOR_PARAMETERS}`,
      })),
  ]);
}

function eachFile(
  { projects }: Workspace,
  types: readonly string[],
  check: (file: SourceFile, project: Project) => Finding[],
): Finding[] {
  return projects
    .filter((project) => types.includes(typeOf(project) ?? ''))
    .flatMap((project) => project.files.flatMap((file) => check(file, project)));
}
