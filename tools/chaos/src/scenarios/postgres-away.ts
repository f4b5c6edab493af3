import { setTimeout as wait } from 'node:timers/promises';
import { EITHER, LinkLoad, WITH_ALL } from '../actors/link-load.ts';
import { OwnPostgres } from '../actors/postgres.ts';
import { createLinks, startShortener } from '../actors/shortener.ts';
import { backAfterMs, checkAvailability, type Phase } from '../checkers/availability.ts';
import { Client } from '../http.ts';
import type { Scenario } from '../scenario.ts';

const PER_SECOND = 80;
const CALM_MS = 3_000;
const KILLED_MS = 4_000;
/** Longer than a create waits for a server that hangs: its statement's time limit, and a little. */
const HUNG_MS = 9_000;
const BACK_WITHIN_MS = 4_000;
/** A redirect from the cache that takes longer has waited for something. */
const CACHED_WITHIN_MS = 1_000;

const WITHOUT: Phase['allowed'] = {
  cached: [302],
  uncached: [503],
  absent: [503],
  create: [503],
};
export const postgresAway: Scenario = {
  name: 'postgres-away',
  promise:
    'With Postgres killed (-9) or hung, cached codes redirect, uncached ones and creates are 503 and nothing is a wrong 404; all is back by itself, and no acknowledged create is lost.',
  needs: [],
  async run(stage) {
    const postgres = await OwnPostgres.start(stage);
    const client = new Client();
    stage.onEnd(() => client.close());
    // Another process makes the links: the one that is watched has not seen them.
    const maker = await startShortener(stage, 'shortener-maker', {
      DATABASE_URL: postgres.directUrl,
    });
    const cached = await createLinks(client, maker.url, 20);
    const uncached = await createLinks(client, maker.url, 600);
    await maker.stop();
    const { url } = await startShortener(stage, 'shortener', { DATABASE_URL: postgres.url });
    for (const code of cached) await client.ask({ url: `${url}/${code}` });

    const phases: Phase[] = [];
    let lastMs = performance.now();
    const endPhase = (name: string, allowed: Phase['allowed']) => {
      const untilMs = performance.now();
      phases.push({ name, fromMs: lastMs, untilMs, allowed });
      lastMs = untilMs;
    };
    const returns: number[] = [];
    const load = new LinkLoad(stage, { url, cached, uncached, perSecond: PER_SECOND });
    const comeBack = async (name: string) => {
      returns.push(performance.now());
      await wait(BACK_WITHIN_MS);
      endPhase(`coming back after it was ${name}`, EITHER);
      await wait(CALM_MS);
      endPhase(`back after it was ${name}`, WITH_ALL);
    };
    await wait(CALM_MS);
    endPhase('before', WITH_ALL);
    stage.say('Postgres is killed');
    postgres.kill();
    await wait(KILLED_MS);
    endPhase('killed', WITHOUT);
    await postgres.restart();
    endPhase('starting', EITHER);
    await comeBack('killed');
    stage.say('Postgres hangs');
    postgres.hang();
    await wait(HUNG_MS);
    endPhase('hung', WITHOUT);
    postgres.resume();
    await comeBack('hung');
    await load.stop();

    const { operations } = load.history;
    const back = returns.map((sinceMs) => {
      const until = operations.filter(({ startMs }) => startMs < sinceMs + BACK_WITHIN_MS);
      return ['create', 'uncached'].map((kind) =>
        Math.round(
          backAfterMs(until, { sinceMs, kind, good: WITH_ALL[kind] ?? [] }) ??
            Number.POSITIVE_INFINITY,
        ),
      );
    });
    const slowest = Math.max(...load.of('cached').map(({ startMs, endMs }) => endMs - startMs));
    return {
      observed: `${operations.length} requests; cached redirects took ${slowest.toFixed(0)} ms at most; creates and uncached codes were back after ${back.map((times) => `${times.join(' and ')} ms`).join(' (killed), ')} (hung); ${load.acknowledged.size} creates acknowledged`,
      faults: [
        ...checkAvailability(operations, phases),
        ...(slowest <= CACHED_WITHIN_MS ? [] : [`a cached redirect took ${slowest.toFixed(0)} ms`]),
        ...(await load.checkAcknowledged(url)),
      ],
    };
  },
};
