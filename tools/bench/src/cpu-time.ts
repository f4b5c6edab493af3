import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** CPU that the operating system charged to processes so far, user and system, in µs. */
export function cpuTimeUs(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + (process.platform === 'linux' ? fromProc(pid) : fromPs(pid)),
    0,
  );
}

/** Clock ticks of /proc are 10 ms on every Linux that Node runs on (USER_HZ is part of the kernel's ABI). */
const TICK_US = 10_000;

function fromProc(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses and may hold anything; fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** `[[dd-]hh:]mm:ss[.cc]` */
function fromPs(pid: number): number {
  const text = execFileSync('ps', ['-o', 'cputime=', '-p', String(pid)], {
    encoding: 'utf8',
  }).trim();
  const [days, clock] = text.includes('-') ? text.split('-') : ['0', text];
  const seconds = (clock ?? '0').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1e6;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  if (process.platform === 'linux') {
    const [, kilobytes = '0'] =
      /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}
