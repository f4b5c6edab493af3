import type { Row } from './measurement.ts';
import type { Verdict } from './report.ts';

/** "At most `most` times the CPU of `other`", from one run. */
export function ratioVerdict(rows: readonly Row[], other: string, most: number): Verdict {
  const ours = rows.find(({ role }) => role === 'ours');
  const against = rows.find(({ name }) => name === other);
  if (!ours || !against) throw new Error(`nothing to compare with ${other}`);
  const ratio = ours.cpuUsPerOperation / against.cpuUsPerOperation;
  return {
    promise: `≤ ${most} × ${other}`,
    measured: `${ratio.toFixed(2)} ×`,
    holds: ratio <= most,
  };
}
