import { identifyProcess, type ProcessIdentity } from '@gatepost/embedded-postgres';

/** A `-server` is a program that a suite may start for itself, and break. */
export const SERVICE_NAMES = [
  'postgres',
  'redis',
  'redis-server',
  'kafka',
  'kafka-server',
  'chromium',
  'promtool',
  'kustomize',
] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** What became of one service: its address (a URL, brokers, a program), or why it cannot be had and which command would change that. */
export type Outcome =
  | { readonly available: true; readonly address: string }
  | { readonly available: false; readonly reason: string; readonly command: string };

export type Outcomes = Partial<Record<ServiceName, Outcome>>;

/** A service that runs for this process until it is released. */
export interface Provided {
  readonly address: string;
  release(): Promise<void>;
}

/** Shows one line of progress. */
export type Say = (line: string) => void;

/** Thrown where a server cannot be had on this machine; names the command that would provide it. */
export class ServiceUnavailable extends Error {
  readonly command: string;

  constructor(reason: string, command: string) {
    super(reason);
    this.command = command;
  }
}

const VARIABLE = 'GATEPOST_TEST_SERVICES';

/** What the process that runs the tests has provided; the workers that it starts inherit it. */
export function readOutcomes(): Outcomes {
  return JSON.parse(process.env[VARIABLE] ?? '{}') as Outcomes;
}

export function publishOutcomes(outcomes: Outcomes): void {
  process.env[VARIABLE] = JSON.stringify({ ...readOutcomes(), ...outcomes });
}

const RUN_VARIABLE = 'GATEPOST_TEST_RUN';

/** The process that provided the services of this run; its workers inherit the name. */
export function currentRun(): ProcessIdentity | undefined {
  const inherited = JSON.parse(process.env[RUN_VARIABLE] ?? 'null') as ProcessIdentity | null;
  return inherited ?? identifyProcess(process.pid);
}

export function beginRun(): void {
  process.env[RUN_VARIABLE] = JSON.stringify(currentRun());
}

let collectingSkipped = false;

/** Collects a suite whose tests will not run: what it asks for while it is collected leads nowhere, and that is no fault. */
export function withoutServices(suite: () => void): void {
  collectingSkipped = true;
  try {
    suite();
  } finally {
    collectingSkipped = false;
  }
}

/** The address of a service that a suite may use because it said so in `describeWith`. */
export function addressOf(service: ServiceName): string {
  const outcome = readOutcomes()[service];
  if (outcome?.available) return outcome.address;
  if (collectingSkipped) return `${service}://unavailable`;
  throw new Error(`There is no ${service} here: use it within describeWith(['${service}'], …).`);
}
