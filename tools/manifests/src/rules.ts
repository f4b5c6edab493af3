import type { Manifest } from './render.ts';

/** One thing that every tree has to hold; returns what breaks it. */
export type Rule = (tree: readonly Manifest[]) => string[];

const name = (manifest: Manifest) => `${manifest.kind}/${manifest.metadata.name}`;
const ofKind = (tree: readonly Manifest[], ...kinds: string[]) =>
  tree.filter(({ kind }) => kinds.includes(kind));

interface Workload {
  readonly owner: Manifest;
  // biome-ignore lint/suspicious/noExplicitAny: see Manifest
  readonly template: any;
}

function workloads(tree: readonly Manifest[]): Workload[] {
  return [
    ...ofKind(tree, 'Deployment', 'StatefulSet').map((owner) => ({
      owner,
      template: owner['spec'].template,
    })),
    ...ofKind(tree, 'CronJob').map((owner) => ({
      owner,
      template: owner['spec'].jobTemplate.spec.template,
    })),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: see Manifest
const containersOf = (template: any): any[] => [
  ...(template.spec.initContainers ?? []),
  ...template.spec.containers,
];

function matches(selector: Record<string, string>, labels: Record<string, string> = {}): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** Pod Security "restricted", whole; the API server would only warn at the Deployment and refuse the pods. */
export const podsAreRestricted: Rule = (tree) =>
  workloads(tree).flatMap(({ owner, template }) => {
    const pod = template.spec.securityContext ?? {};
    const faults: string[] = [];
    if (pod.runAsNonRoot !== true || !(pod.runAsUser > 0)) faults.push('may run as root');
    if (pod.seccompProfile?.type !== 'RuntimeDefault') faults.push('has no seccomp profile');
    if (template.spec.automountServiceAccountToken !== false) faults.push('mounts a token');
    if (template.spec.enableServiceLinks !== false)
      faults.push('gets the addresses of all services as variables');
    for (const container of containersOf(template)) {
      const context = container.securityContext ?? {};
      if (context.allowPrivilegeEscalation !== false)
        faults.push(`${container.name} may gain privileges`);
      if (context.readOnlyRootFilesystem !== true)
        faults.push(`${container.name} may write its root`);
      if (!context.capabilities?.drop?.includes('ALL'))
        faults.push(`${container.name} keeps capabilities`);
    }
    return faults.map((fault) => `${name(owner)} ${fault}`);
  });

export const containersAskForResources: Rule = (tree) =>
  workloads(tree).flatMap(({ owner, template }) =>
    containersOf(template).flatMap((container) => {
      const { requests = {}, limits = {} } = container.resources ?? {};
      const faults: string[] = [];
      if (!requests.cpu || !requests.memory)
        faults.push(`${name(owner)} ${container.name} requests nothing`);
      if (!limits.memory) faults.push(`${name(owner)} ${container.name} has no memory limit`);
      // A limit on CPU throttles a single-threaded process in the middle of a request.
      if (limits.cpu) faults.push(`${name(owner)} ${container.name} limits the CPU`);
      return faults;
    }),
  );

export const imagesArePinned: Rule = (tree) =>
  workloads(tree).flatMap(({ owner, template }) =>
    containersOf(template)
      .filter(({ image }) => !/[:@][\w.:-]+$/.test(image) || /:latest$/.test(image))
      .map(({ image }) => `${name(owner)} runs ${image}, which is not pinned`),
  );

export const deploymentsAreProbedAndDrained: Rule = (tree) =>
  ofKind(tree, 'Deployment').flatMap((deployment) => {
    const pod = deployment['spec'].template.spec;
    return pod.containers.flatMap((container: Manifest) => {
      const faults = ['startupProbe', 'livenessProbe', 'readinessProbe']
        .filter((probe) => !container[probe])
        .map((probe) => `has no ${probe}`);
      if (container['livenessProbe']?.httpGet?.path !== '/livez')
        faults.push('is killed by more than a dead event loop');
      const pause = container['lifecycle']?.preStop?.sleep?.seconds ?? 0;
      if (pause < 5) faults.push('closes before endpoints have noticed');
      if (pod.terminationGracePeriodSeconds < pause + 30) faults.push('is cut off while it drains');
      return faults.map((fault) => `${name(deployment)} ${fault}`);
    });
  });

export const rolloutsLoseNothing: Rule = (tree) =>
  ofKind(tree, 'Deployment').flatMap((deployment) => {
    const { strategy, minReadySeconds, template } = deployment['spec'];
    const faults: string[] = [];
    if (strategy?.rollingUpdate?.maxUnavailable !== 0)
      faults.push('takes a pod away before the next one serves');
    if (!(minReadySeconds > 0)) faults.push('trusts a pod at once');
    if (
      !template.spec.topologySpreadConstraints?.some(
        (one: { topologyKey: string }) => one.topologyKey === 'topology.kubernetes.io/zone',
      )
    )
      faults.push('is not spread over zones');
    return faults.map((fault) => `${name(deployment)} ${fault}`);
  });

/** What answers requests survives the drain of a node. */
export const servedDeploymentsHaveBudgets: Rule = (tree) => {
  const served = ofKind(tree, 'Deployment').filter((deployment) =>
    ofKind(tree, 'Service').some((service) =>
      matches(service['spec'].selector, deployment['spec'].template.metadata.labels),
    ),
  );
  return served
    .filter(
      (deployment) =>
        !ofKind(tree, 'PodDisruptionBudget').some((budget) =>
          matches(budget['spec'].selector.matchLabels, deployment['spec'].template.metadata.labels),
        ),
    )
    .map((deployment) => `${name(deployment)} has no disruption budget`);
};

export const selectorsFindPods: Rule = (tree) => {
  const labels = workloads(tree).map(({ template }) => template.metadata.labels);
  const selecting = [
    ...ofKind(tree, 'Service').map((manifest) => ({
      manifest,
      selector: manifest['spec'].selector,
    })),
    ...ofKind(tree, 'PodDisruptionBudget').map((manifest) => ({
      manifest,
      selector: manifest['spec'].selector.matchLabels,
    })),
  ];
  return selecting
    .filter(({ selector }) => !labels.some((one) => matches(selector, one)))
    .map(({ manifest }) => `${name(manifest)} selects nothing`);
};

/** No Service opens a port on a node, and what comes from outside goes to the gateway. */
export const onlyTheGatewayHasADoor: Rule = (tree) => {
  const faults = ofKind(tree, 'Service')
    .filter(({ spec }) => spec.type && spec.type !== 'ClusterIP')
    .map((service) => `${name(service)} is of type ${service['spec'].type}`);
  for (const route of ofKind(tree, 'HTTPRoute')) {
    for (const { backendRefs } of route['spec'].rules)
      for (const backend of backendRefs)
        if (backend.name !== 'gateway-limiter')
          faults.push(`${name(route)} leads to ${backend.name}`);
  }
  for (const ingress of ofKind(tree, 'Ingress')) {
    for (const { http } of ingress['spec'].rules)
      for (const { backend } of http.paths)
        if (backend.service.name !== 'gateway-limiter')
          faults.push(`${name(ingress)} leads to ${backend.service.name}`);
  }
  return faults;
};

/**
 * A second apply has to say "unchanged". A Job's template cannot change; and where `kubectl` compares a part as a whole,
 * what the API server adds to it looks like a change. A kube-apiserver 1.36 told us which parts these are.
 */
export const applyCanBeRepeated: Rule = (tree) => [
  ...ofKind(tree, 'Job').map((job) => `${name(job)} cannot be applied again with another image`),
  ...ofKind(tree, 'Secret')
    .filter(({ data }) => Object.values<string>(data ?? {}).some((value) => /\s/.test(value)))
    .map((secret) => `${name(secret)} holds base64 in several lines, which comes back as one`),
  ...ofKind(tree, 'Deployment')
    .filter(({ spec }) => spec.strategy && !spec.strategy.type)
    .map((deployment) => `${name(deployment)} does not name its strategy`),
  ...ofKind(tree, 'StatefulSet').flatMap((set) =>
    (set['spec'].volumeClaimTemplates ?? [])
      .filter(
        (claim: Manifest) =>
          !claim.apiVersion || !claim.kind || !claim['spec'].volumeMode || !claim['status'],
      )
      .map(() => `${name(set)} leaves parts of its volume claim to the API server`),
  ),
];

/** A value that changes has to roll the pods, so what pods read carries a hash in its name; ExternalSecrets roll by their operator. */
export const referencesResolve: Rule = (tree) => {
  const known = new Set([
    ...ofKind(tree, 'ConfigMap', 'Secret').map(name),
    ...ofKind(tree, 'ExternalSecret').map((manifest) => `Secret/${manifest['spec'].target.name}`),
  ]);
  return workloads(tree).flatMap(({ owner, template }) =>
    [...containersOf(template).flatMap(readBy), ...(template.spec.volumes ?? []).flatMap(mounted)]
      .filter((reference) => !known.has(reference))
      .map((reference) => `${name(owner)} reads ${reference}, which is not there`),
  );
};

// biome-ignore lint/suspicious/noExplicitAny: see Manifest
function readBy({ envFrom = [], env = [] }: any): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: see Manifest
  const refer = ({ configMapRef, secretRef, configMapKeyRef, secretKeyRef }: any) => [
    ...[configMapRef, configMapKeyRef].flatMap((one) => (one ? [`ConfigMap/${one.name}`] : [])),
    ...[secretRef, secretKeyRef].flatMap((one) => (one ? [`Secret/${one.name}`] : [])),
  ];
  return [...envFrom, ...env.map((one: Manifest) => one['valueFrom'] ?? {})].flatMap(refer);
}

// biome-ignore lint/suspicious/noExplicitAny: see Manifest
function mounted({ configMap, secret }: any): string[] {
  return [
    ...(configMap ? [`ConfigMap/${configMap.name}`] : []),
    ...(secret ? [`Secret/${secret.secretName}`] : []),
  ];
}

export const configurationIsHashed: Rule = (tree) =>
  ofKind(tree, 'ConfigMap', 'Secret')
    .filter(({ metadata }) => !/-[0-9a-z]{10}$/.test(metadata.name))
    .map((manifest) => `${name(manifest)} has no hash in its name`);

export const trafficIsDeniedByDefault: Rule = (tree) =>
  ofKind(tree, 'NetworkPolicy').some(
    ({ spec }) =>
      Object.keys(spec.podSelector).length === 0 &&
      spec.policyTypes.length === 2 &&
      !spec.ingress &&
      !spec.egress,
  )
    ? []
    : ['no NetworkPolicy denies everything in both directions'];

export const namespaceIsRestricted: Rule = (tree) =>
  ofKind(tree, 'Namespace').some(
    ({ metadata }) => metadata.labels?.['pod-security.kubernetes.io/enforce'] === 'restricted',
  )
    ? []
    : ['the namespace does not enforce Pod Security "restricted"'];

export const cronJobsRunAlone: Rule = (tree) =>
  ofKind(tree, 'CronJob').flatMap((job) => {
    const { concurrencyPolicy, timeZone, startingDeadlineSeconds, jobTemplate } = job['spec'];
    const faults: string[] = [];
    if (concurrencyPolicy !== 'Forbid') faults.push('may overlap with itself');
    if (!timeZone) faults.push('runs in the time zone of the controller');
    if (!startingDeadlineSeconds) faults.push('may start days late');
    if (!jobTemplate.spec.ttlSecondsAfterFinished) faults.push('leaves its pods behind');
    return faults.map((fault) => `${name(job)} ${fault}`);
  });

export const RULES: Readonly<Record<string, Rule>> = {
  podsAreRestricted,
  containersAskForResources,
  imagesArePinned,
  deploymentsAreProbedAndDrained,
  rolloutsLoseNothing,
  servedDeploymentsHaveBudgets,
  selectorsFindPods,
  onlyTheGatewayHasADoor,
  applyCanBeRepeated,
  referencesResolve,
  configurationIsHashed,
  trafficIsDeniedByDefault,
  namespaceIsRestricted,
  cronJobsRunAlone,
};
