import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EITHER, LinkLoad, WITH_ALL } from '../actors/link-load.ts';
import { OwnPostgres } from '../actors/postgres.ts';
import { createLinks, startShortener } from '../actors/shortener.ts';
import { SmallDisk } from '../actors/small-disk.ts';
import { checkAvailability, type Phase } from '../checkers/availability.ts';
import { Client } from '../http.ts';
import type { Scenario } from '../scenario.ts';

const DISK_MEGABYTES = 160;
const PER_SECOND = 120;
/** So that what is left in the tables is used up at once. */
const LONG_URL_CHARACTERS = 1_900;
const CALM_MS = 2_000;
const FILLING_MS = 3_000;
const FULL_MS = 5_000;
const BACK_WITHIN_MS = 4_000;

export const diskFull: Scenario = {
  name: 'disk-full',
  promise:
    'With the disk of Postgres full creates are 503 and redirects go on; no acknowledged create is lost, and all is back when there is space again.',
  needs: [],
  async run(stage) {
    const disk = SmallDisk.mount(stage, DISK_MEGABYTES);
    const postgres = await OwnPostgres.start(stage, join(disk.folder, 'postgres'));
    const client = new Client();
    stage.onEnd(() => client.close());
    const maker = await startShortener(stage, 'shortener-maker', {
      DATABASE_URL: postgres.directUrl,
    });
    const cached = await createLinks(client, maker.url, 20);
    const uncached = await createLinks(client, maker.url, 400);
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
    const load = new LinkLoad(stage, {
      url,
      cached,
      uncached,
      perSecond: PER_SECOND,
      longUrlCharacters: LONG_URL_CHARACTERS,
    });
    await wait(CALM_MS);
    endPhase('before', WITH_ALL);
    stage.say('the disk is full');
    disk.fill();
    await wait(FILLING_MS);
    endPhase('filling up', EITHER);
    await wait(FULL_MS);
    endPhase('full', { ...EITHER, create: [503] });
    disk.free();
    const survived = postgres.isAlive;
    if (!survived) await postgres.restart();
    await wait(BACK_WITHIN_MS);
    endPhase('coming back', EITHER);
    await wait(CALM_MS);
    endPhase('back', WITH_ALL);
    await load.stop();

    const refused = load.of('create').filter(({ outcome }) => outcome === 503).length;
    return {
      observed: `${load.acknowledged.size} creates acknowledged, ${refused} refused with 503; Postgres ${survived ? 'lived on' : 'went down and was started again'}; ${load.of('cached').length} cached redirects`,
      faults: [
        ...checkAvailability(load.history.operations, phases),
        ...(await load.checkAcknowledged(url)),
      ],
    };
  },
};
