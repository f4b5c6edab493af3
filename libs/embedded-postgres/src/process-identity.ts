import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, told apart from a later one that got the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque: equal for the same process, different after the pid was used again or the machine was restarted. */
  readonly startedAt: string;
}

/** The process that has this pid now; undefined when there is none, or only a zombie of it. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** Narrows what was read from a file; a torn or foreign file identifies nobody. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  const candidate = value as Partial<ProcessIdentity> | null;
  return Number.isInteger(candidate?.pid) && typeof candidate?.startedAt === 'string';
}

function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may hold spaces and parentheses itself: proc(5) counts from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
    return `${bootId()}:${startTicks}`;
  } catch {
    return undefined;
  }
}

/** Ticks count from boot, so that the boot belongs to the identity. */
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function startFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [, state, startedAt] = /^(\S+)\s+(.+)$/.exec(line) ?? [];
    return state === undefined || state.startsWith('Z') ? undefined : startedAt;
  } catch {
    return undefined;
  }
}
