import { describeWith } from '@gatepost/test-services';
import { writeCombinations } from './combinations.ts';
import { type Manifest, render } from './render.ts';
import { RULES } from './rules.ts';
import { findSchemaFaults } from './schema.ts';

describeWith(['kustomize'], 'the manifests', () => {
  describe.each(Object.entries(writeCombinations()))('%s', (_title, folder) => {
    let tree: Manifest[] = [];
    beforeAll(() => {
      tree = render(folder);
    });

    it('is what the schemas of Kubernetes describe, and nothing else', () => {
      expect(findSchemaFaults(tree)).toEqual([]);
    }, 60_000);

    it.each(Object.entries(RULES))('holds: %s', (_rule, holds) => {
      expect(holds(tree)).toEqual([]);
    });

    it('renders the same twice', () => {
      expect(render(folder)).toEqual(tree);
    });
  });

  it('the production overlay brings neither stores nor secrets', () => {
    const tree = render('overlays/production');
    expect(
      tree
        .filter(({ kind }) => kind === 'Secret' || kind === 'StatefulSet')
        .map(({ metadata }) => metadata.name),
    ).toEqual([]);
  });

  describe('the checks bite', () => {
    const broken = (): Manifest[] => structuredClone(render('overlays/dev'));
    const deployment = (tree: Manifest[]) =>
      tree.find(({ kind }) => kind === 'Deployment') as Manifest;

    it('an unknown member is refused', () => {
      const tree = broken();
      deployment(tree)['spec'].template.spec.containers[0].readynessProbe = {};
      expect(findSchemaFaults(tree).join()).toContain('readynessProbe');
    }, 60_000);

    it.each<[string, keyof typeof RULES, (tree: Manifest[]) => void]>([
      [
        'a pod that may run as root',
        'podsAreRestricted',
        (tree) => delete deployment(tree)['spec'].template.spec.securityContext.runAsNonRoot,
      ],
      [
        'a container without a memory limit',
        'containersAskForResources',
        (tree) => delete deployment(tree)['spec'].template.spec.containers[0].resources.limits,
      ],
      [
        'the image "latest"',
        'imagesArePinned',
        (tree) =>
          Object.assign(deployment(tree)['spec'].template.spec.containers[0], {
            image: 'gatepost/x:latest',
          }),
      ],
      [
        'a missing probe',
        'deploymentsAreProbedAndDrained',
        (tree) => delete deployment(tree)['spec'].template.spec.containers[0].readinessProbe,
      ],
      [
        'a rollout that takes first',
        'rolloutsLoseNothing',
        (tree) =>
          Object.assign(deployment(tree)['spec'].strategy.rollingUpdate, { maxUnavailable: 1 }),
      ],
      [
        'a budget that is gone',
        'servedDeploymentsHaveBudgets',
        (tree) =>
          tree.splice(0, tree.length, ...tree.filter(({ kind }) => kind !== 'PodDisruptionBudget')),
      ],
      [
        'a selector that finds nothing',
        'selectorsFindPods',
        (tree) =>
          Object.assign(tree.find(({ kind }) => kind === 'Service')?.['spec'].selector, { x: 'y' }),
      ],
      [
        'a second door',
        'onlyTheGatewayHasADoor',
        (tree) =>
          Object.assign(tree.find(({ kind }) => kind === 'Service')?.['spec'], {
            type: 'LoadBalancer',
          }),
      ],
      [
        'a Job',
        'applyCanBeRepeated',
        (tree) => tree.push({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate' } }),
      ],
      [
        'a Secret whose base64 is broken into lines',
        'applyCanBeRepeated',
        (tree) =>
          Object.assign(tree.find(({ kind }) => kind === 'Secret')?.['data'], { x: 'YWJj\nZGVm' }),
      ],
      [
        'a Deployment that leaves its strategy to the API server',
        'applyCanBeRepeated',
        (tree) => delete deployment(tree)['spec'].strategy.type,
      ],
      [
        'a volume claim that the API server completes',
        'applyCanBeRepeated',
        (tree) =>
          delete tree.find(({ kind }) => kind === 'StatefulSet')?.['spec'].volumeClaimTemplates[0]
            .status,
      ],
      [
        'a Secret that is not there',
        'referencesResolve',
        (tree) => tree.splice(0, tree.length, ...tree.filter(({ kind }) => kind !== 'Secret')),
      ],
      [
        'a ConfigMap without a hash',
        'configurationIsHashed',
        (tree) =>
          Object.assign(tree.find(({ kind }) => kind === 'ConfigMap')?.metadata ?? {}, {
            name: 'plain',
          }),
      ],
      [
        'no default deny',
        'trafficIsDeniedByDefault',
        (tree) =>
          tree.splice(
            0,
            tree.length,
            ...tree.filter(({ metadata }) => metadata.name !== 'default-deny'),
          ),
      ],
      [
        'a namespace that enforces nothing',
        'namespaceIsRestricted',
        (tree) => delete tree.find(({ kind }) => kind === 'Namespace')?.metadata.labels,
      ],
      [
        'a job that may overlap',
        'cronJobsRunAlone',
        (tree) => delete tree.find(({ kind }) => kind === 'CronJob')?.['spec'].concurrencyPolicy,
      ],
    ])('%s', (_what, rule, breakIt) => {
      const tree = broken();
      breakIt(tree);
      expect(RULES[rule]?.(tree)).not.toEqual([]);
    });
  });
});
