import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * TEST_KUBECONFIG names a cluster that this suite may write to: a real API server, with Pod Security and the CRDs of
 * the Gateway API and External Secrets for the production overlay.
 */
const kubeconfig = process.env['TEST_KUBECONFIG'];
const overlays = fileURLToPath(new URL('../../../k8s/overlays', import.meta.url));
const suite = kubeconfig ? describe : describe.skip;

suite(`a real API server${kubeconfig ? '' : ' [skipped: no cluster] set TEST_KUBECONFIG to the kubeconfig of a disposable one'}`, () => {
  const kubectl = (...args: string[]) =>
    execFileSync('kubectl', ['--kubeconfig', kubeconfig ?? '', ...args], { encoding: 'utf8' });

  it.each(['dev', 'production'])(
    'accepts the %s overlay without a warning, and a second apply changes nothing',
    (overlay) => {
      const first = kubectl('apply', '-k', `${overlays}/${overlay}`);
      expect(first).not.toMatch(/warning/i);
      const second = kubectl('apply', '-k', `${overlays}/${overlay}`).trim().split('\n');
      expect(second.filter((line) => !line.endsWith(' unchanged'))).toEqual([]);
    },
    120_000,
  );
});
