import { execFileSync } from 'node:child_process';
import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user that PostgreSQL runs as: undefined for an ordinary user, who simply starts it. For root the owner of the cluster that
 * is there, or `nobody`, which every system has: no user needs to be created.
 */
export function chooseServerUser(cluster: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = lstatSync(cluster, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }).trim());
}

/** The first folder on the way to `path`, itself included, that the user may not read and pass; undefined when the way is free. */
export function findBarrier(path: string, user: ServerUser): string | undefined {
  const way: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    way.unshift(at);
    if (at === dirname(at)) break;
  }
  return way.find((part) => !mayPass(statSync(part), user, part === way.at(-1)));
}

function mayPass(stats: Stats, user: ServerUser, isTarget: boolean): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
  const wanted = isTarget ? 0o5 : 0o1;
  return ((stats.mode >> shift) & wanted) === wanted;
}
