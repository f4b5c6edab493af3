import { spawnSync } from 'node:child_process';
import { until } from '@gatepost/test-services';
import { writeCombinations } from './combinations.ts';

/**
 * TEST_KUBECONFIG names a cluster that this suite may write to: a real API server and a controller manager, with Pod
 * Security and the CRDs of the Gateway API, External Secrets and the Prometheus operator. It needs no nodes: what is
 * asked is whether everything is accepted, the pods included.
 */
const kubeconfig = process.env['TEST_KUBECONFIG'];
const suite = kubeconfig ? describe : describe.skip;
const cluster = kubeconfig
  ? 'a real API server'
  : 'a real API server [skipped: no cluster] set TEST_KUBECONFIG to the kubeconfig of a disposable one';

/** kubectl replaces the selector of a budget with every apply, by the one that is there (`patchStrategy: replace`), and says "configured". */
const ALWAYS_CONFIGURED = /^poddisruptionbudget\.policy\/[\w-]+ configured$/;

suite(cluster, () => {
  function kubectl(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('kubectl', args, {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      encoding: 'utf8',
    });
    // Warnings are findings: what is deprecated, what Pod Security would refuse.
    if (status !== 0 || stderr.trim() !== '') throw new Error(`${args.join(' ')}: ${stderr}`);
    return stdout;
  }
  const list = (kind: string) =>
    JSON.parse(kubectl('--namespace', 'gatepost', 'get', kind, '--output', 'json')).items;

  describe.each(Object.entries(writeCombinations()))('%s', (_title, folder) => {
    beforeAll(() => {
      kubectl('delete', 'namespace', 'gatepost', '--ignore-not-found');
    }, 120_000);

    it('is accepted without a warning', () => {
      kubectl('apply', '--kustomize', folder);
    }, 120_000);

    it('a second apply changes nothing', () => {
      const lines = kubectl('apply', '--kustomize', folder).trim().split('\n');
      const changed = lines.filter((line) => !line.endsWith(' unchanged'));
      expect(changed.filter((line) => !ALWAYS_CONFIGURED.test(line))).toEqual([]);
      for (const { metadata } of list('poddisruptionbudgets')) expect(metadata.generation).toBe(1);
      kubectl('diff', '--kustomize', folder); // ends with 1 where there is a difference
    }, 120_000);

    it('its pods are let in by Pod Security', async () => {
      const owners = [...list('deployments'), ...list('statefulsets')];
      const admitted = () =>
        new Set(
          list('pods').map((pod: { metadata: { generateName: string } }) =>
            pod.metadata.generateName.replace(/(-[0-9a-z]+)?-$/, ''),
          ),
        );
      await until(() => admitted().size >= owners.length, {
        withinMs: 30_000,
        what: 'a pod for each workload',
      });
      const refused = list('events').filter(
        ({ reason }: { reason: string }) => reason === 'FailedCreate',
      );
      expect(refused).toEqual([]);
    }, 60_000);
  });
});
