import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '@gatepost/embedded-postgres';
import { installPackages } from './apt.ts';
import { cacheFolder } from './cache-folder.ts';
import { elapsed, findProgram, runCommand } from './run-command.ts';
import { type Say, ServiceUnavailable } from './service.ts';

const POM = fileURLToPath(new URL('../kafka/pom.xml', import.meta.url));
const INSTALL_LOCK_MS = 600_000;

export interface KafkaProgram {
  readonly java: string;
  /** Folder of the jars. */
  readonly jars: string;
}

/** Apache Kafka from Maven's registry, once per version. */
export async function findKafkaProgram(say: Say): Promise<KafkaProgram> {
  const jars = join(cacheFolder('programs'), `kafka-${kafkaVersion()}`);
  const java = findProgram('java');
  if (java !== undefined && existsSync(jars)) return { java, jars };
  return withLock(
    cacheFolder('programs', 'kafka-lock'),
    async () => {
      const java = await requireProgram('java', 'default-jre-headless', say);
      if (!existsSync(jars)) await fetchJars(jars, say);
      return { java, jars };
    },
    INSTALL_LOCK_MS,
  );
}

function kafkaVersion(): string {
  const [, version] =
    /<artifactId>kafka_[^<]+<\/artifactId>\s*<version>([^<]+)</.exec(readFileSync(POM, 'utf8')) ??
    [];
  if (version === undefined) throw new Error(`${POM} names no version of Kafka.`);
  return version;
}

async function fetchJars(target: string, say: Say): Promise<void> {
  const maven = await requireProgram('mvn', 'maven', say);
  const began = Date.now();
  const draft = `${target}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  copyFileSync(POM, join(draft, 'pom.xml'));
  try {
    await copyDependencies(maven, draft).catch(() =>
      // The user's own repository may be out of reach, or hold half a file of an interrupted download.
      copyDependencies(maven, draft, `-Dmaven.repo.local=${join(draft, 'repository')}`),
    );
    renameSync(join(draft, 'jars'), target);
  } catch (error) {
    throw new ServiceUnavailable(
      /\[ERROR\] .*/.exec((error as Error).message)?.[0] ?? (error as Error).message,
      `cd ${join(POM, '..')} && mvn dependency:copy-dependencies`,
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  say(`Kafka ${kafkaVersion()} fetched with Maven (${elapsed(began)})`);
}

async function copyDependencies(maven: string, folder: string, ...flags: string[]): Promise<void> {
  await runCommand(
    maven,
    [
      '-B',
      '-q',
      '-Dstyle.color=never',
      ...flags,
      'dependency:copy-dependencies',
      '-DoutputDirectory=jars',
      '-DincludeScope=runtime',
    ],
    { cwd: folder },
  );
}

async function requireProgram(name: string, debianPackage: string, say: Say): Promise<string> {
  const found = findProgram(name);
  if (found !== undefined) return found;
  await installPackages([debianPackage], say);
  const installed = findProgram(name);
  if (installed === undefined)
    throw new ServiceUnavailable(
      `${name} is not installed`,
      `sudo apt-get install ${debianPackage}`,
    );
  return installed;
}
