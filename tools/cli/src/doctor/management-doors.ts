import { z } from 'zod';
import type { Context } from '../context.ts';
import type { ManagementDoor } from '../environment.ts';
import { type Finding, good, note, warning } from './finding.ts';
import { probe } from './probe.ts';

const described = z.object({
  dependencies: z.record(z.string(), z.object({ up: z.boolean(), detail: z.string().optional() })),
});

const DOORS: readonly ManagementDoor[] = ['gateway', 'auth', 'shortener'];

/** What the services themselves say, where their management doors can be reached from here. */
export async function lookAtManagementDoors(context: Context): Promise<Finding[]> {
  const findings = await Promise.all(DOORS.map((door) => lookAtDoor(context, door)));
  if (findings.every((found) => found.length === 0))
    return [
      note(
        'services',
        'Their management doors are not reachable from here.',
        'Forward ports 9080, 9081, 9082 to look closer.',
      ),
    ];
  return findings.flat();
}

async function lookAtDoor(context: Context, door: ManagementDoor): Promise<Finding[]> {
  const address = context.environment.managementUrls[door];
  const answer = await probe(context, `${address}/readyz?verbose`);
  if (!answer) return [];
  const about = `${door} service`;
  const away = unavailableDependencies(answer.body);
  if (answer.status !== 200)
    return [
      warning(
        about,
        'It is not ready: starting, or draining.',
        `Look at ${address}/readyz?verbose and its log.`,
      ),
    ];
  if (away.length > 0)
    return [
      warning(
        about,
        `Ready, but without ${away.join(', ')}.`,
        'It works from what it has; bring these back.',
      ),
    ];
  return [good(about, 'ready, and so is all it depends on')];
}

function unavailableDependencies(body: unknown): string[] {
  const parsed = described.safeParse(body);
  if (!parsed.success) return [];
  return Object.entries(parsed.data.dependencies)
    .filter(([, { up }]) => !up)
    .map(([name, { detail }]) => (detail ? `${name} (${detail})` : name));
}
