import type { Scenario } from './scenario.ts';
import { aliasRace } from './scenarios/alias-race.ts';
import { codeSingleUse } from './scenarios/code-single-use.ts';

/** In the order they run. */
export const SCENARIOS: readonly Scenario[] = [codeSingleUse, aliasRace];
