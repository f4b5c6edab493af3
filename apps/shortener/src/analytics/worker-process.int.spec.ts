import { type ChildProcess, fork } from 'node:child_process';
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
const BURST = 1_500;

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

// The topic and the group have one name in all processes of an installation: these need brokers of their own.
describeWith(['postgres', 'kafka'], 'worker processes', () => {
  let database: MigratedDatabase;
  let kafka: Awaited<ReturnType<typeof startKafka>>;
  let main: string;
  const processes = new Set<ChildProcess>();

  beforeAll(async () => {
    [database, kafka, main] = await Promise.all([openMigratedDatabase(), startKafka(), buildApp()]);
  }, 120_000);

  afterAll(async () => {
    for (const child of processes) child.kill('SIGKILL');
    await kafka.stop();
    await database.close();
  }, 60_000);

  function startWorker(group: string): ChildProcess {
    const child = fork(main, ['worker'], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: database.url,
        KAFKA_BROKERS: kafka.brokers.join(','),
        KAFKA_CLICK_GROUP: group,
        MANAGEMENT_PORT: '0',
        LOG_LEVEL: 'fatal',
      },
      stdio: 'ignore',
    });
    processes.add(child);
    child.once('exit', () => processes.delete(child));
    return child;
  }

  const number = async (sql: string) => Number((await database.pool.query(sql)).rows[0].number);
  /** Batches that a worker is in the middle of: positions are taken, counts are not committed. */
  const openTransactions = () =>
    number(`SELECT count(*) AS number FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'shortener-worker'
        AND backend_xid IS NOT NULL AND state <> 'idle'`);
  const counted = () => number('SELECT COALESCE(sum(humans + bots), 0) AS number FROM click_days');

  // Minutes of faults, and not yet seen to end every time on a busy machine: asked for with FAULT_RUNS=1, named as skipped else.
  const run = process.env['FAULT_RUNS'] === '1' ? it : it.skip;
  run(
    `count every acknowledged click exactly once through ${KILLS} kill -9, redelivery and rebalances`,
    async () => {
      const logger = createLogger({ name: 'spec', level: 'silent' });
      const env = environment.parse({ KAFKA_BROKERS: kafka.brokers.join(',') });
      const delivery = new KafkaClickDelivery({
        kafka: openKafka({ env, clientId: 'spec', logger }),
        logger,
        source: 'spec',
        partitions: 6,
      });
      let acknowledged = 0;
      let isKilling = true;
      const send = async (clicks: RecordedClick[]) => {
        await delivery.deliver(clicks);
        acknowledged += clicks.length;
      };
      const sending = (async () => {
        for (let round = 0; isKilling; round++) {
          const clicks = burst(round);
          await send(clicks);
          // A producer that did not hear the answer sends again.
          if (round % 5 === 0) await delivery.deliver(clicks);
          // No faster than it is counted.
          await poll(counted, (seen) => acknowledged - seen < 30 * BURST, 600_000);
        }
      })();

      for (let kill = 0; kill < KILLS; kill++) {
        // Two that share the partitions. A group of their own, for a group waits long for members that were killed.
        const workers = [startWorker(`group-${kill}`), startWorker(`group-${kill}`)];
        const before = await counted();
        await poll(counted, (seen) => seen > before, 60_000);
        await poll(openTransactions, (open) => open > 0, 60_000);
        for (const worker of workers) worker.kill('SIGKILL');
      }
      isKilling = false;
      await sending;
      const last = startWorker('group-last');
      await poll(counted, (seen) => seen >= acknowledged, 120_000);

      // Something new goes through to the end: nothing of the old is still on its way.
      await send(burst(10_000));
      await poll(counted, (seen) => seen >= acknowledged, 60_000);
      expect(await counted()).toBe(acknowledged);
      for (const table of ['click_hours', 'click_minutes'])
        expect(await number(`SELECT sum(humans + bots) AS number FROM ${table}`)).toBe(
          acknowledged,
        );
      for (const kind of ['r', 'b', 's', 'd', 'c'])
        expect(
          await number(
            `SELECT sum(humans + bots) AS number FROM click_breakdowns WHERE kind = '${kind}'`,
          ),
        ).toBe(acknowledged);
      expect(await number('SELECT count(*) AS number FROM clicks')).toBe(acknowledged);
      expect(await number('SELECT count(DISTINCT event_id) AS number FROM clicks')).toBe(
        acknowledged,
      );
      expect(await number('SELECT sum(uniques) AS number FROM click_days')).toBe(
        await number('SELECT count(*) AS number FROM click_visitors'),
      );
      await delivery.close();
      last.kill('SIGKILL');
    },
    600_000,
  );
});
