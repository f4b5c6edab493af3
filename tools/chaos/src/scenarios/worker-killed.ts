import { until } from '@gatepost/test-services';
import pg from 'pg';
import { readTotals, settledCounts, sum } from '../actors/click-counts.ts';
import { ClickLoad } from '../actors/click-load.ts';
import { createLinks, startShortener } from '../actors/shortener.ts';
import type { App } from '../app.ts';
import { checkCounts } from '../checkers/counts.ts';
import { Client } from '../http.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const KILLS = 20;
const WORKERS = 3;
const PER_SECOND = 200;
const IN_A_BATCH_WITHIN_MS = 60_000;
const COUNTED_WITHIN_MS = 90_000;

export const workerKilled: Scenario = {
  name: 'worker-killed',
  promise: `The counts are exact though a worker is killed (-9) in the middle of a batch, ${KILLS} times over.`,
  needs: ['postgres', 'kafka-server'],
  async run(stage) {
    const kafka = await stage.startKafka();
    const databaseUrl = await stage.createDatabase();
    const env = { KAFKA_BROKERS: kafka.brokers.join(','), KAFKA_SESSION_TIMEOUT_MS: '1500' };
    const shortener = await startShortener(stage, 'shortener', {
      ...env,
      DATABASE_URL: databaseUrl,
    });
    const client = new Client();
    stage.onEnd(() => client.close());
    const tracked = await createLinks(client, shortener.url, 50);
    const workers = new Map<string, App>();
    let started = 0;
    const startWorker = async () => {
      const name = `worker-${++started}`;
      // Its connections carry its name, by which it is known in the database.
      const url = new URL(databaseUrl);
      url.searchParams.set('application_name', name);
      const worker = startShortener(stage, name, { ...env, DATABASE_URL: url.href }, 'worker');
      workers.set(name, await worker);
    };
    for (let count = 0; count < WORKERS; count++) await startWorker();

    const load = new ClickLoad(stage, {
      url: () => shortener.url,
      tracked,
      untracked: [],
      perSecond: PER_SECOND,
    });
    const database = await connect(stage, databaseUrl);
    for (let kill = 1; kill <= KILLS; kill++) {
      await killInTheMiddleOfABatch(database, workers);
      if (kill % 5 === 0) stage.say(`${kill} workers killed, ${load.acknowledged} clicks so far`);
      await startWorker();
    }
    await load.stop();
    const counts = await settledCounts(databaseUrl, load.clicks, COUNTED_WITHIN_MS);
    const totals = await readTotals(databaseUrl);
    const counted = sum([...counts.values()].map((link) => link.counted));
    return {
      observed: `${KILLS} workers killed in the middle of a batch; ${counted} of ${load.acknowledged} clicks counted`,
      faults: [
        ...checkCounts(counts),
        ...Object.entries(totals)
          .filter(([, total]) => total !== counted)
          .map(([table, total]) => `${table} holds ${total} clicks and not ${counted}`),
      ],
    };
  },
};

async function connect(stage: Stage, url: string): Promise<pg.Client> {
  const database = new pg.Client({ connectionString: url });
  database.on('error', () => undefined); // the queries' own promises tell
  await database.connect();
  stage.onEnd(() => database.end());
  return database;
}

/**
 * Takes what the last statement of a batch needs, until one of the workers waits for it: its position has moved, in a
 * transaction that is not committed. That one is killed.
 */
async function killInTheMiddleOfABatch(
  database: pg.Client,
  workers: Map<string, App>,
): Promise<void> {
  await database.query('BEGIN');
  try {
    await database.query('LOCK TABLE click_breakdowns IN SHARE MODE');
    let victim: App | undefined;
    const isWaiting = async () => {
      const { rows } = await database.query<{ name: string }>(
        `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE relation = 'click_breakdowns'::regclass AND NOT granted`,
      );
      victim = rows.map(({ name }) => workers.get(name)).find((worker) => worker !== undefined);
      return victim !== undefined;
    };
    await until(isWaiting, { withinMs: IN_A_BATCH_WITHIN_MS, what: 'a worker in a batch' });
    workers.delete(victim?.name ?? '');
    await victim?.kill();
  } finally {
    await database.query('ROLLBACK');
  }
}
