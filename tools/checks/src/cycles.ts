import { posix } from 'node:path';
import type { Finding } from './finding.ts';
import { packageOf, type Workspace } from './workspace.ts';

type Graph = Map<string, readonly string[]>;

/** Cycles of files within a project, and of projects. Dynamic imports count: they only make a cycle harder to see. */
export function checkCycles({ projects }: Workspace): Finding[] {
  const files: Graph = new Map(
    projects.flatMap(({ files }) =>
      files.map(({ path, imports }): [string, string[]] => [
        path,
        imports
          .filter(({ specifier }) => specifier.startsWith('.'))
          .map(({ specifier }) => posix.join(posix.dirname(path), specifier)),
      ]),
    ),
  );
  const byPackage = new Map(projects.map(({ packageName, root }) => [packageName, root]));
  const rooms: Graph = new Map(
    projects.map(({ root, files }) => [
      root,
      files.flatMap(({ imports }) =>
        imports.map(({ specifier }) => byPackage.get(packageOf(specifier)) ?? ''),
      ),
    ]),
  );
  return [...findCycles(files), ...findCycles(rooms)].map((cycle) => ({
    rule: 'cycles',
    file: cycle[0] as string,
    message: `imports itself: ${[...cycle, cycle[0]].join(' → ')}`,
  }));
}

/** One cycle for each group of nodes that reach each other (Tarjan's strongly connected components). */
export function findCycles(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) as number);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next))
        low.set(node, Math.min(low.get(node) as number, low.get(next) as number));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1 || graph.get(node)?.includes(node)) cycles.push(pathAround(graph, group));
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return cycles;
}

/** A way from the first node of the group back to it, the shortest. */
function pathAround(graph: Graph, group: readonly string[]): string[] {
  const start = [...group].sort()[0] as string;
  const queue: string[][] = [[start]];
  for (const path of queue) {
    for (const next of graph.get(path.at(-1) as string) ?? []) {
      if (next === start) return path;
      if (group.includes(next) && !path.includes(next)) queue.push([...path, next]);
    }
  }
  return [start];
}
