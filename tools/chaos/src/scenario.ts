import type { ServiceName } from '@gatepost/test-services';
import type { Stage } from './stage.ts';

/** What a scenario saw. It holds when there are no faults. */
export interface Observation {
  /** One sentence with the figures. */
  readonly observed: string;
  /** Each way in which the promise was broken, one sentence each. */
  readonly faults: readonly string[];
}

export interface Scenario {
  /** As `--only` names it. */
  readonly name: string;
  /** One sentence. */
  readonly promise: string;
  /** What must be there; without it the scenario is skipped by name. */
  readonly needs: readonly ServiceName[];
  run(stage: Stage): Promise<Observation>;
}

/** Thrown where this machine does not allow what a scenario does to it. */
export class ScenarioSkipped extends Error {}
