import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '@gatepost/embedded-postgres';
import { unpackPackage } from './apt.ts';
import { cacheFolder } from './cache-folder.ts';
import { elapsed, findProgram, runCommand } from './run-command.ts';
import { addressOf, type Provided, type Say, ServiceUnavailable } from './service.ts';

const INSTALL_LOCK_MS = 600_000;
const KUSTOMIZE = 'sigs.k8s.io/kustomize/kustomize/v5@v5.8.1';

const provided = (address: string): Provided => ({ address, release: async () => undefined });

/** Prometheus' tool for rule files: on PATH, else Debian's, unpacked and not installed, for the package would start a server. */
export async function providePromtool(say: Say): Promise<Provided> {
  const installed = findProgram('promtool');
  if (installed) return provided(installed);
  const folder = cacheFolder('promtool');
  const path = join(folder, 'usr/bin/promtool');
  if (!existsSync(path)) {
    if (!findProgram('apt-get'))
      throw new ServiceUnavailable(
        'promtool is not installed',
        'install promtool of Prometheus on the PATH',
      );
    await withLock(folder, () => unpackPackage('prometheus', folder, say), INSTALL_LOCK_MS).catch(
      (error: Error) => {
        throw new ServiceUnavailable(
          `promtool is not installed (${error.message})`,
          'sudo apt-get update',
        );
      },
    );
  }
  return provided(path);
}

/** What renders kustomizations: kubectl or kustomize on PATH, else kustomize built by Go. The address is the program with its verb. */
export async function provideKustomize(say: Say): Promise<Provided> {
  const kubectl = findProgram('kubectl');
  if (kubectl) return provided(`${kubectl} kustomize`);
  const kustomize = findProgram('kustomize');
  if (kustomize) return provided(`${kustomize} build`);
  const folder = cacheFolder('kustomize');
  const path = join(folder, 'kustomize');
  if (!existsSync(path)) {
    const go = findProgram('go');
    if (!go)
      throw new ServiceUnavailable(
        'neither kubectl nor kustomize is installed',
        'install kubectl or kustomize on the PATH',
      );
    const began = Date.now();
    await withLock(
      folder,
      () => runCommand(go, ['install', KUSTOMIZE], { env: { GOBIN: folder } }),
      INSTALL_LOCK_MS,
    );
    say(`kustomize built with Go (${elapsed(began)})`);
  }
  return provided(`${path} build`);
}

export function promtoolPath(): string {
  return addressOf('promtool');
}

/** Program and verb that render a kustomization. */
export function kustomizeCommand(): readonly [string, string] {
  const [program = '', verb = ''] = addressOf('kustomize').split(/ (?=\w+$)/);
  return [program, verb];
}
