import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '@gatepost/embedded-postgres';
import { cacheFolder } from './cache-folder.ts';
import { elapsed, findProgram, runCommand } from './run-command.ts';
import { type Say, ServiceUnavailable } from './service.ts';

const INSTALL_TIMEOUT_MS = 600_000;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Installs Debian packages. Only root may; everybody else learns the command. */
export async function installPackages(packages: readonly string[], say: Say): Promise<void> {
  const apt = findProgram('apt-get');
  const command = `apt-get install -y ${packages.join(' ')}`;
  if (apt === undefined || !isRoot()) {
    throw new ServiceUnavailable(`${packages.join(', ')} not installed`, `sudo ${command}`);
  }
  await withLock(
    cacheFolder('apt'),
    async () => {
      const began = Date.now();
      const args = [
        'install',
        '-y',
        '-qq',
        '--no-install-recommends',
        '-o',
        'DPkg::Lock::Timeout=120',
        ...packages,
      ];
      const env = { DEBIAN_FRONTEND: 'noninteractive' };
      try {
        await runCommand(apt, args, { env, timeoutMs: INSTALL_TIMEOUT_MS });
      } catch {
        // A machine that has never fetched the package lists, or whose lists are old.
        await runCommand(apt, ['update', '-qq'], { env });
        await runCommand(apt, args, { env, timeoutMs: INSTALL_TIMEOUT_MS }).catch(
          (error: Error) => {
            throw new ServiceUnavailable(error.message, command);
          },
        );
      }
      say(`${packages.join(', ')} installed with apt-get (${elapsed(began)})`);
    },
    INSTALL_TIMEOUT_MS,
  );
}

/**
 * Unpacks a Debian package, and what it depends on that the machine lacks, into `folder`. Needs no rights beyond writing there.
 */
export async function unpackPackage(name: string, folder: string, say: Say): Promise<void> {
  const began = Date.now();
  const closure = await runCommand('apt-cache', [
    'depends',
    '--recurse',
    '--no-recommends',
    '--no-suggests',
    '--no-conflicts',
    '--no-breaks',
    '--no-replaces',
    '--no-enhances',
    name,
  ]);
  const names = [...new Set(closure.split('\n').filter((line) => /^[a-z0-9]/.test(line)))];
  const selections = await runCommand('dpkg', ['--get-selections']);
  const installed = new Set(selections.split('\n').map((line) => line.split(/[\s:]/)[0]));
  const missing = names.filter((candidate) => !installed.has(candidate));
  const downloads = join(folder, 'downloads');
  mkdirSync(downloads, { recursive: true });
  await runCommand('apt-get', ['download', '-qq', ...missing], { cwd: downloads });
  for (const file of readdirSync(downloads)) {
    await runCommand('dpkg-deb', ['-x', join(downloads, file), folder]);
  }
  rmSync(downloads, { recursive: true });
  say(`${name} unpacked into ${folder} (${elapsed(began)})`);
}
