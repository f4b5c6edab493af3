import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const K8S = fileURLToPath(new URL('../../../k8s', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache/manifests', import.meta.url));

/** Components that are added to the development tree, each that no overlay has at least once. */
const ADDITIONS: readonly (readonly string[])[] = [
  ['observability'],
  ['clickhouse'],
  ['ingress'],
  ['gateway-api'],
  ['autoscaling'],
  ['autoscaling', 'gateway-api'],
  ['autoscaling', 'ingress'],
];

/** Kustomizations as an operator has them, by title: the overlays, and the development overlay with further components. */
export function writeCombinations(): Record<string, string> {
  mkdirSync(CACHE, { recursive: true });
  const overlays = readdirSync(join(K8S, 'overlays')).map((name) => [
    `overlays/${name}`,
    join(K8S, 'overlays', name),
  ]);
  const added = ADDITIONS.map((components) => [
    `dev with ${components.join(' and ')}`,
    writeCombination(components),
  ]);
  return Object.fromEntries([...overlays, ...added]);
}

function writeCombination(components: readonly string[]): string {
  const folder = join(CACHE, `combination-${components.join('-')}`);
  const from = (path: string) => relative(folder, join(K8S, path));
  mkdirSync(folder, { recursive: true });
  const lines = [
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    'namespace: gatepost',
    'resources:',
    `  - ${from('overlays/dev')}`,
    'components:',
    ...components.map((component) => `  - ${from(`components/${component}`)}`),
  ];
  writeFileSync(join(folder, 'kustomization.yaml'), lines.join('\n'));
  return folder;
}
