import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openPool, type Pool } from '@gatepost/postgres';
import { startKafka } from '@gatepost/test-services';
import { startServer } from '../child-server.ts';
import { cpuTimeUs } from '../cpu-time.ts';
import type { Round, Row } from '../measurement.ts';
import type { Verdict } from '../report.ts';
import { median } from '../statistics.ts';
import type { Suite } from '../suite.ts';

const PEERS = fileURLToPath(new URL('../../peers', import.meta.url));
const LINKS = 1_000;
const PARTITIONS = 12;
/** Clicks a second of a redirecting process that is busy but not at its end. */
const REDIRECTS_PER_SECOND = 8_000;

interface Mode {
  readonly name: string;
  readonly least: number;
  readonly env: Readonly<Record<string, string>>;
}

const MODES: readonly Mode[] = [
  {
    name: 'worker, rollups alone',
    least: 40_000,
    env: { CLICK_RAW_RETENTION_DAYS: '0', CLICK_UNIQUES: 'false', CLICK_DEDUPE: 'false' },
  },
  { name: 'worker, with raw rows, dedupe and uniques', least: 15_000, env: {} },
];

/** What the worker counts a second of a full topic, and what a click costs the process that redirects. */
export const clicks: Suite = {
  name: 'clicks',
  async run({ rounds, seconds, createDatabase, say }) {
    // The topic has one name in every installation: a broker of its own.
    const kafka = await startKafka();
    try {
      const published = Math.round(80_000 * seconds);
      say(`publishing ${published} clicks`);
      const waiting = Number(
        await runPeer('publish-clicks.mjs', {
          brokers: kafka.brokers,
          clicks: published,
          links: LINKS,
          partitions: PARTITIONS,
        }),
      );
      const results = MODES.map((): Round[] => []);
      for (let round = 1; round <= rounds; round++) {
        for (const [index, mode] of MODES.entries()) {
          const result = await countFor(seconds, {
            mode,
            waiting,
            repeated: waiting - published,
            databaseUrl: await createDatabase(),
            kafka,
          });
          results[index]?.push(result);
          say(
            `round ${round}/${rounds}  ${mode.name}: ${Math.round(result.perSecond)} clicks/s, ${result.cpuUs.toFixed(1)} µs CPU`,
          );
        }
      }
      const added = JSON.parse(
        await runPeer('click-cost.mjs', {
          brokers: kafka.brokers,
          rate: REDIRECTS_PER_SECOND,
          seconds,
          rounds,
        }),
      ) as number[];
      return {
        name: 'clicks',
        title: 'Counting clicks',
        rows: [
          ...MODES.map(({ name }, index) => toRow(name, results[index] ?? [])),
          toRow(
            'a click, in the process that redirects',
            added.map((cpuUs) => ({ cpuUs, perSecond: REDIRECTS_PER_SECOND })),
          ),
        ],
        verdicts: [
          ...MODES.map((mode, index) => rateVerdict(mode, results[index] ?? [])),
          {
            promise: 'a click adds ≤ 5 µs to its redirect',
            measured: `${median(added).toFixed(1)} µs`,
            holds: median(added) <= 5,
          },
        ],
        notes: [
          `${LINKS} links, the k-th one with a share of 1/k; 60,000 visitors; ${PARTITIONS} partitions. Worker, PostgreSQL (fsync off), Kafka and this program share ${availableParallelism()} cores; “store” is PostgreSQL.`,
        ],
      };
    } finally {
      await kafka.stop();
    }
  },
};

function rateVerdict({ name, least }: Mode, rounds: readonly Round[]): Verdict {
  const rate = median(rounds.map(({ perSecond }) => perSecond));
  return {
    promise: `${name}: ≥ ${least} clicks/s`,
    measured: `${Math.round(rate)}/s`,
    holds: rate >= least,
  };
}

function toRow(name: string, rounds: readonly Round[]): Row {
  const store = rounds.flatMap(({ storeCpuUs }) => storeCpuUs ?? []);
  return {
    name,
    role: 'ours',
    cpuUsPerOperation: median(rounds.map(({ cpuUs }) => cpuUs)),
    operationsPerSecond: median(rounds.map(({ perSecond }) => perSecond)),
    ...(store.length > 0 ? { storeCpuUsPerOperation: median(store) } : {}),
    rounds,
  };
}

interface Counting {
  readonly mode: Mode;
  /** Messages in the topic. */
  readonly waiting: number;
  /** Those among them that came twice. */
  readonly repeated: number;
  readonly databaseUrl: string;
  readonly kafka: { readonly brokers: readonly string[] };
}

/** A worker counts what waits in the topic into an empty database, for some seconds or to its end. */
async function countFor(
  seconds: number,
  { mode, waiting, repeated, databaseUrl, kafka }: Counting,
): Promise<Round> {
  const pool = openPool({ url: databaseUrl, applicationName: 'bench', maxConnections: 1 });
  const worker = await startServer(
    'apps/shortener/dist/main.js',
    {
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_CLICK_GROUP: new URL(databaseUrl).pathname.slice(1),
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'warn',
      ...mode.env,
    },
    ['worker'],
  );
  const look = async () => {
    const counted = await readPosition(pool);
    const store = await readBackends(pool);
    return {
      counted,
      atMs: performance.now(),
      cpuUs: cpuTimeUs([worker.pid]),
      storeUs: cpuTimeUs(store),
    };
  };
  try {
    // Compilers warm up on the first twentieth.
    const first = await until(look, ({ counted }) => counted > waiting / 20, 60);
    let last = first;
    // Both ends of the measurement are moments at which a batch was done.
    const limitMs = first.atMs + seconds * 1_000;
    while (last.counted < waiting && performance.now() < limitMs) {
      const seen = await until(look, ({ counted }) => counted > last.counted, 60);
      last = seen;
    }
    await expectExact(pool, repeated);
    const operations = last.counted - first.counted;
    return {
      perSecond: (operations * 1_000) / (last.atMs - first.atMs),
      cpuUs: (last.cpuUs - first.cpuUs) / operations,
      storeCpuUs: (last.storeUs - first.storeUs) / operations,
    };
  } finally {
    await worker.stop();
    await pool.end();
  }
}

async function until<T>(
  look: () => Promise<T>,
  isDone: (seen: T) => boolean,
  limitSeconds: number,
): Promise<T> {
  const limit = performance.now() + limitSeconds * 1_000;
  for (;;) {
    const seen = await look();
    if (isDone(seen)) return seen;
    if (performance.now() > limit) throw new Error('the worker does not count');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Clicks counted so far. The worker makes the tables when it starts. */
async function readPosition(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ counted: string | null }>(
    'SELECT sum(next_offset) AS counted FROM click_offsets',
  );
  return Number(rows[0]?.counted ?? 0);
}

/** A fast worker that counts wrongly would look good. */
async function expectExact(pool: Pool, repeated: number): Promise<void> {
  const { rows } = await pool.query<{ taken: string; counted: string }>(
    'SELECT (SELECT sum(next_offset) FROM click_offsets) AS taken, (SELECT sum(humans + bots) FROM click_days) AS counted',
  );
  const uncounted = Number(rows[0]?.taken) - Number(rows[0]?.counted);
  if (!(uncounted >= 0 && uncounted <= repeated))
    throw new Error(`${uncounted} of ${rows[0]?.taken} not counted, ${repeated} came twice`);
}

/** Processes of the database that the worker speaks with. */
async function readBackends(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'shortener-worker'",
  );
  return rows.map(({ pid }) => pid);
}

async function runPeer(script: string, job: unknown): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`${PEERS}/${script}`, JSON.stringify(job)],
    { timeout: 120_000 },
  );
  return stdout;
}
