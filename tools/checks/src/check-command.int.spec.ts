import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../check.mjs', import.meta.url));

describe('node tools/check.mjs', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'checks-'));
    write('package.json', JSON.stringify({ workspaces: ['libs/*'] }));
    write(
      'libs/links/project.json',
      JSON.stringify({ name: 'links', tags: ['type:lib', 'scope:links'] }),
    );
    write(
      'libs/links/package.json',
      JSON.stringify({ name: '@gatepost/links', dependencies: { zod: '4.0.0' } }),
    );
    write('libs/links/src/index.ts', "export { link } from './link.ts';\n");
    write('libs/links/src/link.ts', "import { z } from 'zod';\nexport const link = z;\n");
    write('libs/links/dist/link.ts', "import 'unknown';\n");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const check = (): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [command, root], { encoding: 'utf8' });

  it('ends with 0 where every rule holds', () => {
    expect(check()).toMatchObject({
      status: 0,
      stdout: '1 projects, 2 files: every rule holds\n',
      stderr: '',
    });
  }, 20_000);

  it('ends with 1 and names place and rule where one is broken', () => {
    write('libs/links/src/link.ts', "import { z } from 'zod';\n\nimport pg from 'pg';\n");
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toContain(
      'libs/links/src/link.ts:3  pg is not in its package.json  [boundaries]\n',
    );
    expect(stderr).toContain(
      'libs/links/src/link.ts:3  pg belongs into *.repository.ts or prisma.service.ts  [storage]\n',
    );
  }, 20_000);
});
