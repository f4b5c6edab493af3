import { describeWith } from '@gatepost/test-services';
import { commandsOf, runApp } from './apps.ts';
import { type Manifest, render } from './render.ts';

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
}

/** The app that a container runs, whatever registry its image comes from. */
const appOf = ({ image }: Container) => /gatepost\/([\w-]+):/.exec(image)?.[1];

function containersOf(tree: readonly Manifest[]): (readonly [string, Container])[] {
  return tree.flatMap(({ kind, metadata, spec }) => {
    const pod = (spec?.jobTemplate?.spec ?? spec)?.template?.spec;
    if (!pod) return [];
    const containers: Container[] = [...(pod.initContainers ?? []), ...pod.containers];
    return containers
      .filter((container) => appOf(container))
      .map(
        (container) =>
          [`${kind} ${metadata.name}, ${container.args ?? 'serving'}`, container] as const,
      );
  });
}

/** What the ConfigMaps and Secrets of the tree give to a container. */
function environmentOf(tree: readonly Manifest[], container: Container): Record<string, string> {
  const from = (container.envFrom ?? []).map(({ configMapRef, secretRef }) => {
    const [kind, name] = configMapRef
      ? ['ConfigMap', configMapRef.name]
      : ['Secret', secretRef?.name];
    const source = tree.find((one) => one.kind === kind && one.metadata.name === name);
    if (kind === 'ConfigMap') return source?.['data'];
    return Object.fromEntries(
      Object.entries(source?.['data'] ?? {}).map(([key, value]) => [
        key,
        Buffer.from(String(value), 'base64').toString(),
      ]),
    );
  });
  const own = (container.env ?? []).map(({ name, value = '' }) => [name, value]);
  return Object.assign({}, ...from, Object.fromEntries(own));
}

describeWith(['kustomize'], 'the containers of the trees', () => {
  it.each(['overlays/dev', 'overlays/production'])(
    'of %s are called by commands that their apps have',
    (overlay) => {
      const containers = containersOf(render(overlay));
      expect(containers).toHaveLength(8);
      const strangers = containers.filter(([, container]) => {
        const [command = ''] = container.args ?? [];
        return command !== '' && !commandsOf(appOf(container) ?? '').includes(command);
      });
      expect(strangers.map(([name]) => name)).toEqual([]);
    },
  );

  it('have an environment that the schemas of their apps accept, and in which nothing is unknown to all', () => {
    const tree = render('overlays/dev');
    const given = new Set<string>();
    const known = new Set<string>();
    for (const [name, container] of containersOf(tree)) {
      const environment = environmentOf(tree, container);
      for (const variable of Object.keys(environment)) given.add(variable);
      const { exitCode, out, err } = runApp(
        appOf(container) ?? '',
        ['--print-config'],
        environment,
      );
      expect([name, exitCode, err.replace(/^oidc-provider WARNING.*\n/, '')]).toEqual([
        name,
        0,
        '',
      ]);
      for (const variable of Object.keys(JSON.parse(out))) known.add(variable);
    }
    expect(given.size).toBeGreaterThan(8);
    expect([...given].filter((variable) => !known.has(variable))).toEqual([]);
  }, 60_000);
});
