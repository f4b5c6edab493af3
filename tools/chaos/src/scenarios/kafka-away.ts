import { setTimeout as wait } from 'node:timers/promises';
import { settledCounts, sum } from '../actors/click-counts.ts';
import { ClickLoad } from '../actors/click-load.ts';
import { createLinks, startShortener } from '../actors/shortener.ts';
import { checkAvailability } from '../checkers/availability.ts';
import { checkCounts } from '../checkers/counts.ts';
import { Client } from '../http.ts';
import type { Scenario } from '../scenario.ts';
import { excessWaits, quantile } from '../waits.ts';

const PER_SECOND = 300;
const CALM_MS = 4_000;
const COUNTED_WITHIN_MS = 60_000;
/** What the click may cost a redirect, at p99. */
const WAIT_MS = 5;

export const kafkaAway: Scenario = {
  name: 'kafka-away',
  promise:
    'With Kafka away redirects go on as fast as before, and every one of their clicks is counted once Kafka is back.',
  needs: ['postgres', 'kafka-server'],
  async run(stage) {
    const awayMs = stage.options.kafkaAwaySeconds * 1_000;
    const kafka = await stage.startKafka();
    const databaseUrl = await stage.createDatabase();
    const env = { DATABASE_URL: databaseUrl, KAFKA_BROKERS: kafka.brokers.join(',') };
    const shortener = await startShortener(stage, 'shortener', env);
    await startShortener(stage, 'worker', env, 'worker');
    const client = new Client();
    stage.onEnd(() => client.close());
    const tracked = await createLinks(client, shortener.url, 20);
    const untracked = await createLinks(client, shortener.url, 5, { trackClicks: false });

    const beganMs = performance.now();
    const load = new ClickLoad(stage, {
      url: () => shortener.url,
      tracked,
      untracked,
      perSecond: PER_SECOND,
    });
    await wait(1_000); // the first requests of a process are slow
    const calmMs = performance.now();
    await wait(CALM_MS);
    stage.say(`Kafka is killed, for ${stage.options.kafkaAwaySeconds} s`);
    const killedMs = performance.now();
    await kafka.kill();
    await wait(awayMs);
    const pending = await shortener.metric('click_events_pending');
    await kafka.restart();
    const returnedMs = performance.now();
    stage.say(`Kafka is back, ${pending} clicks wait for it`);
    await wait(CALM_MS);
    await load.stop();
    const stoppedMs = performance.now();
    const counts = await settledCounts(databaseUrl, load.clicks, COUNTED_WITHIN_MS);
    const settledMs = performance.now() - stoppedMs;

    const waits = (kind: string, fromMs: number, untilMs: number) =>
      load
        .begun(kind, fromMs, untilMs)
        .map(({ startMs, endMs }) => ({ startMs, tookMs: endMs - startMs }));
    const p99 = (fromMs: number, untilMs: number) =>
      quantile(
        excessWaits(waits('tracked', fromMs, untilMs), waits('untracked', fromMs, untilMs)),
        0.99,
      );
    const [before, away] = [p99(calmMs, killedMs), p99(killedMs, returnedMs)];
    const dropped = await shortener.metric('click_events_dropped_total');
    const untilMs = Number.POSITIVE_INFINITY;
    return {
      observed: `${load.acknowledged} clicks, ${pending} of them waiting at the end of ${stage.options.kafkaAwaySeconds} s, ${sum([...counts.values()].map(({ counted }) => counted))} counted ${(settledMs / 1_000).toFixed(1)} s after the last; a click cost its redirect ${away.toFixed(1)} ms at p99 (${before.toFixed(1)} ms before)`,
      faults: [
        ...checkAvailability(load.history.operations, [
          {
            name: 'throughout',
            fromMs: beganMs,
            untilMs,
            allowed: { tracked: [302], untracked: [301] },
          },
        ]),
        ...[before, away]
          .filter((costMs) => costMs > WAIT_MS)
          .map((costMs) => `a click cost its redirect ${costMs.toFixed(1)} ms at p99`),
        ...(dropped > 0 ? [`${dropped} clicks were dropped`] : []),
        ...checkCounts(counts),
      ],
    };
  },
};
