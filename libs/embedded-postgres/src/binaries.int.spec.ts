import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locateBinaries, reachableCopy, restoreLibraryLinks } from './binaries.ts';
import { chooseServerUser } from './server-user.ts';

describe('the installed PostgreSQL', () => {
  const installed = join(locateBinaries(undefined).postgres, '..', '..');
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binaries-')); // 0700
    cpSync(installed, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gets its library links back where the install script was blocked', () => {
    const link = join(folder, 'native', 'lib', 'libpq.so.5');
    if (process.platform === 'darwin') return; // its libraries are named otherwise
    rmSync(link);
    restoreLibraryLinks(join(folder, 'native'));
    restoreLibraryLinks(join(folder, 'native'));
    expect(readlinkSync(link)).toMatch(/^libpq\.so\.5\.\d+$/);
  });

  const user = chooseServerUser('/nowhere');
  const asRoot = user === undefined ? it.skip : it; // only root changes the user, and must leave a private folder for it
  asRoot('is copied to where the server user reaches it, once', () => {
    if (user === undefined) return;
    const cache = mkdtempSync(join(tmpdir(), 'reachable-'));
    try {
      const copy = reachableCopy({ native: join(folder, 'native'), version: 'x' }, user, cache);
      expect(copy).toBe(join(cache, 'postgres-x'));
      const printed = execFileSync(join(copy, 'bin', 'postgres'), ['--version'], {
        ...user,
        encoding: 'utf8',
      });
      expect(printed).toMatch(/PostgreSQL\) 18\./);
      rmSync(join(folder, 'native', 'bin', 'initdb')); // not looked at again
      expect(reachableCopy({ native: join(folder, 'native'), version: 'x' }, user, cache)).toBe(
        copy,
      );
    } finally {
      rmSync(cache, { recursive: true });
    }
  });

  asRoot('is used in place where the server user reaches it', () => {
    if (user === undefined) return;
    chmodSync(folder, 0o755);
    expect(reachableCopy({ native: join(folder, 'native'), version: 'x' }, user, '/nowhere')).toBe(
      join(folder, 'native'),
    );
  });
});
