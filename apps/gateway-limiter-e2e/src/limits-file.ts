import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A limits file of the suite's own: plenty for everybody but for what `tiers` says. */
export function writeLimits(tiers: Readonly<Record<string, unknown>> = {}): {
  file: string;
  remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'));
  const file = join(folder, 'limits.json');
  const plenty = { second: 1_000_000 };
  writeFileSync(
    file,
    JSON.stringify({ tiers: { anonymous: plenty, free: plenty, paid: plenty, ...tiers } }),
  );
  return { file, remove: () => rmSync(folder, { recursive: true }) };
}
