import { checkBoundaries, checkTags } from './boundaries.ts';
import { checkCycles } from './cycles.ts';
import { checkExcuses } from './excuses.ts';
import type { Finding } from './finding.ts';
import {
  checkControllers,
  checkEnvironment,
  checkIndexes,
  checkSizes,
  checkStorage,
} from './rooms.ts';
import type { Workspace } from './workspace.ts';

/** Every rule of the house that a machine can hold. */
export const CHECKS: readonly ((workspace: Workspace) => Finding[])[] = [
  checkTags,
  checkBoundaries,
  checkCycles,
  checkStorage,
  checkControllers,
  checkEnvironment,
  checkIndexes,
  checkSizes,
  checkExcuses,
];

export function runChecks(workspace: Workspace): Finding[] {
  return CHECKS.flatMap((check) => check(workspace)).sort((a, b) =>
    `${a.file}:${String(a.line ?? 0).padStart(6, '0')}` <
    `${b.file}:${String(b.line ?? 0).padStart(6, '0')}`
      ? -1
      : 1,
  );
}
