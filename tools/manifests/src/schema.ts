import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from './render.ts';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

/** Where the types of an API group come from. They are generated from Kubernetes' own OpenAPI and from the CRDs. */
function typesOf({ apiVersion, kind }: Manifest): string {
  if (apiVersion.startsWith('gateway.networking.k8s.io/'))
    return `@kubernetes-models/gateway-api/${apiVersion}/${kind}`;
  if (apiVersion.startsWith('external-secrets.io/'))
    return `@kubernetes-models/external-secrets/${apiVersion}/${kind}`;
  if (apiVersion.startsWith('monitoring.coreos.com/'))
    return `@kubernetes-models/prometheus-operator/${apiVersion}/${kind}`;
  return `kubernetes-models/${apiVersion}/${kind}`;
}

/**
 * Holds manifests against the schemas, unknown members refused: each becomes a typed literal, and the compiler's check
 * for excess members does the rest. Returns the compiler's findings, one a line, with the object they are about.
 */
export function findSchemaFaults(manifests: readonly Manifest[]): string[] {
  const base = join(WORKSPACE, '.cache', 'manifests');
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, 'schema-'));
  try {
    manifests.forEach((manifest, index) => {
      const source = `import type { I${manifest.kind} } from '${typesOf(manifest)}';\nexport const manifest: I${manifest.kind} = ${JSON.stringify(manifest, null, 2)};\n`;
      writeFileSync(join(folder, `m${index}.ts`), source);
    });
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          module: 'nodenext',
          moduleResolution: 'nodenext',
          target: 'es2023',
          types: [],
        },
        include: ['*.ts'],
      }),
    );
    execFileSync(
      process.execPath,
      [join(WORKSPACE, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'],
      { encoding: 'utf8' },
    );
    return [];
  } catch (error) {
    const output = String((error as { stdout?: string }).stdout ?? error);
    return output
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) =>
        line.replace(
          /^.*?\bm(\d+)\.ts\(\d+,\d+\): /,
          (_match, index: string) => `${nameOf(manifests[Number(index)])}: `,
        ),
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function nameOf(manifest: Manifest | undefined): string {
  return manifest ? `${manifest.kind}/${manifest.metadata.name}` : 'unknown';
}
