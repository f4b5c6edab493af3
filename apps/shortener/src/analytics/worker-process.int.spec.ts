import { fork } from 'node:child_process';
import type { PoolClient } from '@gatepost/postgres';
import { createLogger } from '@gatepost/service-kit';
import { describeWith, startKafka } from '@gatepost/test-services';
import type { RecordedClick } from '../clicks/click.ts';
import { EventIds } from '../clicks/event-id.ts';
import { KafkaClickDelivery } from '../clicks/kafka-click-delivery.ts';
import { openKafka } from '../clicks/kafka-connection.ts';
import { environment } from '../env.ts';
import { buildApp } from '../testing/built-app.ts';
import { type MigratedDatabase, openMigratedDatabase } from '../testing/migrated-database.ts';
import { poll } from '../testing/poll.ts';

const KILLS = 20;
const WORKERS = 3;
const BURST = 1_500;
/** How far the producer runs ahead of the counts: there is always something to count, and never much left to catch up with. */
const AHEAD = 12 * BURST;

const ids = new EventIds();

function burst(number: number): RecordedClick[] {
  return Array.from({ length: BURST }, (_, index) => {
    const time = Date.now() - index;
    return {
      id: ids.eventId(time),
      time,
      traceparent: ids.traceparent(),
      event: {
        code: `AbC${1_000 + ((index * 7 + number) % 300)}`,
        timestamp: new Date(time).toISOString(),
        ip: `203.0.${number}.${index % 250}`,
        referrer: index % 3 === 0 ? null : `https://site${index % 20}.example/`,
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
      },
    };
  });
}

interface Worker {
  /** Its connections carry it in the database. */
  readonly name: string;
  signal(signal: NodeJS.Signals): void;
}

// The topic and the group have one name in all processes of an installation: these need brokers of their own.
describeWith(['postgres', 'kafka'], 'worker processes', () => {
  let database: MigratedDatabase;
  let kafka: Awaited<ReturnType<typeof startKafka>>;
  let main: string;
  let started = 0;
  const workers = new Set<Worker>();
  let delivery: KafkaClickDelivery;
  /** Of both tests: they share the topic and the counts. */
  let acknowledged = 0;
  let isSending = false;

  beforeAll(async () => {
    [database, kafka, main] = await Promise.all([openMigratedDatabase(), startKafka(), buildApp()]);
    const logger = createLogger({ name: 'spec', level: 'silent' });
    const env = environment.parse({ KAFKA_BROKERS: kafka.brokers.join(',') });
    const client = openKafka({ env, clientId: 'spec', logger });
    delivery = new KafkaClickDelivery({ kafka: client, logger, source: 'spec', partitions: 6 });
  }, 120_000);

  afterAll(async () => {
    await delivery.close();
    await kafka.stop();
    await database.close();
  }, 60_000);

  afterEach(() => {
    isSending = false;
    for (const worker of [...workers]) worker.signal('SIGKILL');
  });

  function startWorker(group: string): Worker {
    const name = `worker-${started++}`;
    const url = new URL(database.url);
    url.searchParams.set('application_name', name);
    const child = fork(main, ['worker'], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: url.href,
        KAFKA_BROKERS: kafka.brokers.join(','),
        KAFKA_CLICK_GROUP: group,
        KAFKA_SESSION_TIMEOUT_MS: '1500',
        MANAGEMENT_PORT: '0',
        LOG_LEVEL: 'fatal',
      },
      stdio: 'ignore',
    });
    const worker = { name, signal: (signal: NodeJS.Signals) => void child.kill(signal) };
    workers.add(worker);
    child.once('exit', () => workers.delete(worker));
    return worker;
  }

  const number = async (sql: string, values: unknown[] = []) =>
    Number((await database.pool.query(sql, values)).rows[0].number);
  const counted = () => number('SELECT COALESCE(sum(humans + bots), 0) AS number FROM click_days');
  const becomes = (atLeast: number, limitMs: number) =>
    poll(counted, (seen) => seen >= atLeast, limitMs);

  /** Delivers while `isSending`, every fifth burst twice: a producer that did not hear the answer sends again. */
  async function keepSending(): Promise<void> {
    isSending = true;
    for (let round = 0; isSending; round++) {
      const clicks = burst(round);
      await delivery.deliver(clicks);
      acknowledged += clicks.length;
      if (round % 5 === 0) await delivery.deliver(clicks);
      await poll(counted, (seen) => !isSending || acknowledged - seen < AHEAD, 300_000);
    }
  }

  /**
   * Holds what the last statement of a batch needs, until the worker waits for it: its position has moved and its ids are
   * remembered, in a transaction that is not committed.
   */
  async function inTheMiddleOfABatch(worker: Worker, act: () => void): Promise<void> {
    const client: PoolClient = await database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('LOCK TABLE click_breakdowns IN SHARE MODE');
      const waiting = () =>
        number(
          `SELECT count(*) AS number FROM pg_locks JOIN pg_stat_activity USING (pid)
           WHERE application_name = $1 AND relation = 'click_breakdowns'::regclass AND NOT granted`,
          [worker.name],
        );
      await poll(waiting, (open) => open > 0, 120_000);
      act();
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  async function expectExactCounts(): Promise<void> {
    // Something new goes through to the end: nothing of the old is still on its way.
    await becomes(acknowledged, 120_000);
    await delivery.deliver(burst(10_000));
    acknowledged += BURST;
    await becomes(acknowledged, 60_000);
    const sums = [
      'sum(humans + bots) AS number FROM click_days',
      'sum(humans + bots) AS number FROM click_hours',
      'sum(humans + bots) AS number FROM click_minutes',
      ...['r', 'b', 's', 'd', 'c'].map(
        (kind) => `sum(humans + bots) AS number FROM click_breakdowns WHERE kind = '${kind}'`,
      ),
      'count(*) AS number FROM clicks',
      'count(DISTINCT event_id) AS number FROM clicks',
    ];
    for (const sum of sums)
      expect([sum, await number(`SELECT ${sum}`)]).toEqual([sum, acknowledged]);
    expect(await number('SELECT sum(uniques) AS number FROM click_days')).toBe(
      await number('SELECT count(*) AS number FROM click_visitors'),
    );
  }

  it(`count every acknowledged click exactly once through ${KILLS} kill -9, redelivery and rebalances`, async () => {
    const line = Array.from({ length: WORKERS }, () => startWorker('killed'));
    const sending = keepSending();
    for (let kills = 0; kills < KILLS; kills += 2) {
      // The two oldest die, one in the middle of a batch, the other at any moment; what they had goes to the third and to
      // two new ones, once by a death and once by a birth.
      const [first, second] = line.splice(0, 2) as [Worker, Worker];
      await inTheMiddleOfABatch(first, () => first.signal('SIGKILL'));
      line.push(startWorker('killed'));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      second.signal('SIGKILL');
      line.push(startWorker('killed'));
    }
    isSending = false;
    await sending;
    await expectExactCounts();
  }, 600_000);

  it('count exactly when one of them freezes in the middle of a batch and wakes up replaced', async () => {
    const frozen = startWorker('frozen');
    const sending = keepSending();
    await inTheMiddleOfABatch(frozen, () => frozen.signal('SIGSTOP'));
    startWorker('frozen');
    const before = await counted();
    // The frozen one still holds its position; the server takes it away.
    await becomes(before + 2 * AHEAD, 120_000);
    frozen.signal('SIGCONT');
    await becomes((await counted()) + AHEAD, 120_000);
    isSending = false;
    await sending;
    await expectExactCounts();
  }, 300_000);
});
