import { cpuTimeUs } from './cpu-time.ts';
import { median } from './statistics.ts';

/** Something that can be measured: ours, a peer, or the limit of what is possible here. */
export interface Contender {
  readonly name: string;
  readonly role: 'ours' | 'peer' | 'limit';
  start(): Promise<Running>;
}

export interface Running {
  /** Processes whose CPU is charged to the contender. */
  readonly pids: readonly number[];
  /** Processes of the store that the contender works on; their CPU is shown beside. */
  readonly storePids?: readonly number[];
  /** What a round needs and does not measure. */
  prepare?(): Promise<void>;
  /** Works for about `seconds` and says how many operations were done. */
  work(seconds: number): Promise<{ operations: number; failures: number }>;
  stop(): Promise<void>;
}

export interface Row {
  readonly name: string;
  readonly role: Contender['role'];
  /** Median over the rounds. */
  readonly cpuUsPerOperation: number;
  readonly operationsPerSecond: number;
  readonly storeCpuUsPerOperation?: number;
  readonly rounds: readonly Round[];
}

export interface Round {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly storeCpuUs?: number;
}

export interface RoundOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly say: (text: string) => void;
}

/**
 * Measures contenders in interleaved rounds: whatever else the machine does falls on all of them. All run at once, one
 * works at a time; the first second of each is thrown away, for compilers warm up.
 */
export async function compare(
  contenders: readonly Contender[],
  { rounds, seconds, say }: RoundOptions,
): Promise<Row[]> {
  const running: { contender: Contender; run: Running; results: Round[] }[] = [];
  try {
    for (const contender of contenders) {
      say(`starting ${contender.name}`);
      const run = await contender.start();
      running.push({ contender, run, results: [] });
      await run.prepare?.();
      await run.work(Math.min(1, seconds));
    }
    for (let round = 1; round <= rounds; round++) {
      for (const { contender, run, results } of running) {
        const result = await measureOnce(contender.name, run, seconds);
        results.push(result);
        say(
          `round ${round}/${rounds}  ${contender.name}: ${result.cpuUs.toFixed(1)} µs CPU, ${Math.round(result.perSecond)}/s`,
        );
      }
    }
  } finally {
    for (const { run } of running.reverse()) await run.stop();
  }
  return running.reverse().map(({ contender, results }) => ({
    name: contender.name,
    role: contender.role,
    cpuUsPerOperation: median(results.map(({ cpuUs }) => cpuUs)),
    operationsPerSecond: median(results.map(({ perSecond }) => perSecond)),
    ...(results.some(({ storeCpuUs }) => storeCpuUs !== undefined)
      ? { storeCpuUsPerOperation: median(results.map(({ storeCpuUs }) => storeCpuUs ?? 0)) }
      : {}),
    rounds: results,
  }));
}

async function measureOnce(name: string, run: Running, seconds: number): Promise<Round> {
  await run.prepare?.();
  const cpuBefore = cpuTimeUs(run.pids);
  const storeBefore = cpuTimeUs(run.storePids ?? []);
  const startedAt = performance.now();
  const { operations, failures } = await run.work(seconds);
  const elapsedMs = performance.now() - startedAt;
  const cpuUs = cpuTimeUs(run.pids) - cpuBefore;
  const storeCpuUs = cpuTimeUs(run.storePids ?? []) - storeBefore;
  // A contender that answers errors quickly would look good.
  if (failures > operations * 0.001)
    throw new Error(
      `${name}: ${failures} of ${operations} operations failed, the figures would mean nothing`,
    );
  return {
    cpuUs: cpuUs / operations,
    perSecond: (operations * 1000) / elapsedMs,
    ...(run.storePids ? { storeCpuUs: storeCpuUs / operations } : {}),
  };
}
