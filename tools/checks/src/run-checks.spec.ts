import { runChecks } from './run-checks.ts';
import { sketchWorkspace } from './workspace.fixture.ts';

type Changes = Parameters<typeof sketchWorkspace>[0];

/** `rule file:line` of everything found. */
const find = (changes: Changes): string[] =>
  runChecks(sketchWorkspace(changes)).map(
    ({ rule, file, line }) => `${rule} ${file}${line === undefined ? '' : `:${line}`}`,
  );

const shortener = (file: string, text: string, dependencies: string[] = []): Changes => ({
  'apps/shortener': { files: { [file]: text }, dependencies },
});

describe('the rules of the house', () => {
  it('hold in a workspace as it should be', () => {
    expect(
      find({
        'apps/shortener': {
          dependencies: ['@gatepost/contracts', '@gatepost/postgres', 'pg', '@nestjs/common'],
          devDependencies: ['@gatepost/test-services'],
          files: {
            'main.ts': "import { environment } from './env.ts';\nenvironment.parse(process.env);",
            'env.ts': "import { z } from '@gatepost/contracts';\nexport const parse = z;",
            'links/link.repository.ts':
              "import pg from 'pg';\nimport { openPool } from '@gatepost/postgres';",
            'links/links.controller.ts': "import { Links } from './links.service.ts';",
            'links/links.service.ts': "import { LinkRepository } from './link.repository.ts';",
            'links/link.int.spec.ts':
              "import { describeWith } from '@gatepost/test-services';\nimport { Client } from 'pg';",
          },
        },
        'apps/shortener-e2e': {
          dependencies: ['@gatepost/platform'],
          files: { 'create.spec.ts': "import { startPlatform } from '@gatepost/platform';" },
        },
        'libs/contracts': { dependencies: ['zod'], files: { 'a.ts': "import { z } from 'zod';" } },
        'libs/postgres': {
          optionalDependencies: ['@gatepost/embedded-postgres'],
          dependencies: ['pg'],
          files: { 'a.ts': "import pg from 'pg';\nawait import('@gatepost/embedded-postgres');" },
        },
      }),
    ).toEqual([]);
  });

  const boundaries: [string, Changes, string[]][] = [
    [
      'an app that imports another app',
      shortener('a.ts', "import { x } from '@gatepost/gateway-limiter';", [
        '@gatepost/gateway-limiter',
      ]),
      ['boundaries apps/shortener/src/a.ts:1'],
    ],
    [
      'an app that imports another app by its path',
      shortener('a.ts', "import { x } from '../../gateway-limiter/src/x.ts';"),
      ['boundaries apps/shortener/src/a.ts:1'],
    ],
    [
      'an app that imports a tool outside its specs',
      shortener('a.ts', "\nimport { x } from '@gatepost/test-services';", [
        '@gatepost/test-services',
      ]),
      ['boundaries apps/shortener/src/a.ts:2'],
    ],
    [
      'a lib that imports an app, even on demand',
      {
        'libs/service-kit': {
          dependencies: ['@gatepost/shortener'],
          files: { 'a.ts': "await import('@gatepost/shortener');" },
        },
      },
      ['boundaries libs/service-kit/src/a.ts:1'],
    ],
    [
      'a tool that imports an app without saying so in its tags',
      {
        'tools/platform': {
          dependencies: ['@gatepost/shortener'],
          files: { 'a.ts': "import { x } from '@gatepost/shortener';" },
        },
      },
      ['boundaries tools/platform/src/a.ts:1'],
    ],
    [
      'an end-to-end test that knows the inside of its app',
      {
        'apps/shortener-e2e': {
          dependencies: ['@gatepost/shortener'],
          files: { 'a.spec.ts': "import { x } from '@gatepost/shortener';" },
        },
      },
      ['boundaries apps/shortener-e2e/src/a.spec.ts:1'],
    ],
    [
      'a gateway that imports the way to a database',
      {
        'apps/gateway-limiter': {
          dependencies: ['@gatepost/postgres'],
          files: { 'a.ts': "import { openPool } from '@gatepost/postgres';" },
        },
      },
      ['boundaries apps/gateway-limiter/src/a.ts:1'],
    ],
    [
      'a shortener that imports the limiter',
      shortener('a.ts', "export { take } from '@gatepost/limiter-core';", [
        '@gatepost/limiter-core',
      ]),
      ['boundaries apps/shortener/src/a.ts:1'],
    ],
    [
      'an import from within another project',
      shortener('a.ts', "import { x } from '@gatepost/contracts/src/link.ts';", [
        '@gatepost/contracts',
      ]),
      ['boundaries apps/shortener/src/a.ts:1'],
    ],
    [
      'a package that is not declared',
      shortener(
        'a.ts',
        "import { x } from '@gatepost/contracts';\nimport fastify from 'fastify';\nimport 'node:fs';",
      ),
      ['boundaries apps/shortener/src/a.ts:1', 'boundaries apps/shortener/src/a.ts:2'],
    ],
    [
      'contracts that import more than zod',
      {
        'libs/contracts': {
          dependencies: ['ioredis'],
          files: { 'a.ts': "import { z } from 'zod/v4';\nimport Redis from 'ioredis';" },
        },
      },
      ['boundaries libs/contracts/src/a.ts:1', 'boundaries libs/contracts/src/a.ts:2'],
    ],
    [
      'a limiter core that knows a clock or a driver',
      {
        'libs/limiter-core': {
          files: { 'a.ts': "import { performance } from 'node:perf_hooks';" },
        },
      },
      ['boundaries libs/limiter-core/src/a.ts:1'],
    ],
    [
      'an embedded database that is imported at once',
      {
        'libs/postgres': {
          optionalDependencies: ['@gatepost/embedded-postgres'],
          files: { 'a.ts': "import { x } from '@gatepost/embedded-postgres';" },
        },
      },
      ['boundaries libs/postgres/src/a.ts:1'],
    ],
    [
      'an embedded database that production would install',
      { 'apps/shortener': { dependencies: ['@gatepost/embedded-postgres'] } },
      ['boundaries apps/shortener/package.json'],
    ],
    [
      'a project with two types',
      { 'libs/contracts': { tags: ['type:lib', 'type:app', 'scope:contracts'] } },
      ['tags libs/contracts/project.json'],
    ],
    [
      'a project without a scope',
      { 'libs/contracts': { tags: ['type:lib'] } },
      ['tags libs/contracts/project.json'],
    ],
    [
      'a project of an unknown type',
      { 'tools/platform': { tags: ['type:drawer', 'scope:x'] } },
      ['tags tools/platform/project.json'],
    ],
  ];
  it.each(boundaries)('refuse %s', (_what, changes, findings) => {
    expect(find(changes)).toEqual(expect.arrayContaining(findings));
    expect(find(changes)).toHaveLength(findings.length);
  });

  it('let a tool import apps that says so', () => {
    expect(
      find({
        'tools/platform': {
          tags: ['type:tool', 'scope:development', 'imports:apps'],
          dependencies: ['@gatepost/shortener'],
          files: { 'a.ts': "import { x } from '@gatepost/shortener';" },
        },
      }),
    ).toEqual([]);
  });

  const rooms: [string, Changes, string[]][] = [
    [
      'files that import each other',
      {
        'apps/shortener': {
          files: {
            'a.ts': "import './b.ts';",
            'b.ts': "import './c.ts';",
            'c.ts': "export { a } from './a.ts';",
          },
        },
      },
      ['cycles apps/shortener/src/a.ts'],
    ],
    [
      'projects that import each other',
      {
        'libs/contracts': {
          dependencies: ['@gatepost/service-kit'],
          files: { 'a.spec.ts': "import { x } from '@gatepost/service-kit';" },
        },
        'libs/service-kit': {
          dependencies: ['@gatepost/contracts'],
          files: { 'a.ts': "import { x } from '@gatepost/contracts';" },
        },
      },
      ['cycles libs/contracts'],
    ],
    [
      'statements in a service',
      shortener('links.service.ts', "import type { Pool } from 'pg';", ['pg']),
      ['storage apps/shortener/src/links.service.ts:1'],
    ],
    [
      'Prisma in a controller',
      shortener('a.controller.ts', "import { Link } from './generated/client.ts';"),
      ['storage apps/shortener/src/a.controller.ts:1'],
    ],
    [
      'a controller that asks a repository',
      shortener('a.controller.ts', "import { R } from './a.repository.ts';"),
      ['controllers apps/shortener/src/a.controller.ts:1'],
    ],
    [
      'an environment read anywhere',
      shortener('a.service.ts', 'const a = 1;\nconst b = process.env.B;'),
      ['environment apps/shortener/src/a.service.ts:2'],
    ],
    [
      'a variable picked out where the process begins',
      shortener('main.ts', 'f.parse(process.env.PORT);'),
      ['environment apps/shortener/src/main.ts:1'],
    ],
    [
      'an environment parsed in a room',
      shortener('links/a.ts', 'environment.parse(process.env);'),
      ['environment apps/shortener/src/links/a.ts:1'],
    ],
    [
      'an environment read by another name',
      shortener('a.ts', "import { env as e } from 'node:process';"),
      ['environment apps/shortener/src/a.ts:1'],
    ],
    [
      'an index inside an app',
      shortener('links/index.ts', "export { a } from './a.ts';"),
      ['indexes apps/shortener/src/links/index.ts'],
    ],
    [
      'an index that exports everything or does something',
      {
        'libs/contracts': {
          files: {
            'index.ts': "export * from './a.ts';\nexport const b = 1;\nexport { c } from './c.ts';",
          },
        },
      },
      ['indexes libs/contracts/src/index.ts:1', 'indexes libs/contracts/src/index.ts:2'],
    ],
    [
      'a second index in a lib',
      { 'libs/contracts': { files: { 'links/index.ts': '' } } },
      ['indexes libs/contracts/src/links/index.ts'],
    ],
    [
      'a file of 301 lines of code',
      shortener('a.ts', `// a comment\n\n${'f();\n'.repeat(301)}`),
      ['sizes apps/shortener/src/a.ts'],
    ],
    [
      'a constructor with five parameters',
      shortener(
        'a.ts',
        'class A {\n  constructor(a: A, private b: B, c = 1, d?: D, readonly e?: E) {}\n}',
      ),
      ['sizes apps/shortener/src/a.ts:2'],
    ],
  ];
  it.each(rooms)('refuse %s', (_what, changes, findings) => {
    expect(find(changes)).toEqual(findings);
  });

  it('count neither comments nor empty lines', () => {
    expect(
      find(
        shortener('a.ts', `${'/* one\n two */\n\n// three\n'.repeat(400)}${'f();\n'.repeat(300)}`),
      ),
    ).toEqual([]);
  });

  const refused: [string, string][] = [
    ['.only', 'describe.only("a", () => {});'],
    ['.only of a table', 'it.only.each([1])("a", () => {});'],
    ['fit', 'fit("a", () => {});'],
    ['.skip', 'it.skip("a", () => {});'],
    ['xit', 'xit("a", () => {});'],
    ['an empty catch', 'try { f(); } catch {}'],
    ['an empty catch on several lines', 'try { f(); } catch (e) {\n}'],
    ['biome-ignore without a reason', '// biome-ignore lint/suspicious/noExplicitAny:\nf();'],
    ['oxlint-disable without a reason', '// oxlint-disable-next-line no-console\nf();'],
    ['@ts-expect-error without a reason', '// @ts-expect-error\nf();'],
    ['@ts-ignore without a reason', '/* @ts-ignore */ f();'],
  ];
  it.each(refused)('refuse %s', (_what, text) => {
    expect(find(shortener('a.spec.ts', text))).toEqual(['excuses apps/shortener/src/a.spec.ts:1']);
  });

  const excused: [string, string][] = [
    ['.skip with a comment above', '// the upstream bug 123 hides it\nit.skip("a", () => {});'],
    ['.skip that depends on the machine', 'const suite = cluster ? describe : describe.skip;'],
    ['a catch that says why it does nothing', 'try { f(); } catch {\n  // gone already\n}'],
    [
      'biome-ignore with a reason',
      '// biome-ignore lint/suspicious/noExplicitAny: the library hands it out\nf();',
    ],
    ['@ts-expect-error with a reason', '// @ts-expect-error: a wrong type is the test\nf();'],
    [
      'words in strings',
      'const a = "// @ts-ignore", b = `biome-ignore c`, d = /\\/\\/ @ts-ignore/;',
    ],
    [
      'letters beyond ASCII before the place',
      'const ä = "äöü€😀";\ntry { f(); } catch {\n  // gone already\n}',
    ],
    ['names that objects inherit', 'valueOf(); constructor(); toString();'],
  ];
  it.each(excused)('accept %s', (_what, text) => {
    expect(find(shortener('a.spec.ts', text))).toEqual([]);
  });
});
