import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { kustomizeCommand } from '@gatepost/test-services';
import { parseAllDocuments } from 'yaml';

/** An object of Kubernetes as far as the rules look into it. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the shape is held against the schemas of Kubernetes; rules look at single members
  [member: string]: any;
}

const K8S = fileURLToPath(new URL('../../../k8s', import.meta.url));

/** Renders a kustomization: a folder below `k8s/`, or an absolute one. */
export function render(folder: string): Manifest[] {
  const [program, verb] = kustomizeCommand();
  const path = folder.startsWith('/') ? folder : `${K8S}/${folder}`;
  const text = execFileSync(program, [verb, path], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}
