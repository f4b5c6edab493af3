import { setTimeout as wait } from 'node:timers/promises';
import { startShortener } from '../actors/shortener.ts';
import type { App } from '../app.ts';
import { checkUniqueNames, type Reading, type Wish } from '../checkers/unique-name.ts';
import { History } from '../history.ts';
import { Client } from '../http.ts';
import type { Scenario } from '../scenario.ts';

const RACERS = 50;
/** How long after the start of a round one of the processes is killed: before, in the middle of and after the work. */
const KILL_AFTER_MS = [2, 10, 20, 40, 60, 90, 130, 200];

export const aliasRace: Scenario = {
  name: 'alias-race',
  promise: `Of ${RACERS} racing creates of an alias, with one of two processes killed (-9), at most one is told 201, and the alias is and stays its.`,
  needs: ['postgres'],
  async run(stage) {
    const env = { DATABASE_URL: await stage.createDatabase() };
    const survivor = await startShortener(stage, 'shortener-1', env);
    const victim = await startShortener(stage, 'shortener-2', env);
    const client = new Client(RACERS);
    stage.onEnd(() => client.close());
    const history = new History<Wish, number>();
    const readings: Reading[] = [];
    const read = async (app: App, when: string, name: string) => {
      const { status, headers, lost } = await client.ask({ url: `${app.url}/${name}` });
      if (status !== 302 && status !== 404) throw new Error(`${name}: ${lost ?? status} ${when}`);
      readings.push({ when, name, destination: headers.location });
    };

    for (const [round, killAfterMs] of KILL_AFTER_MS.entries()) {
      const name = `racer0${round}`;
      const racing = Array.from({ length: RACERS }, (_, number) => {
        const destination = `https://example.com/${round}/${number}`;
        const { url } = (number + round) % 2 === 0 ? survivor : victim;
        return history.record({ name, destination }, async () => {
          const body = { longUrl: destination, customAlias: name };
          return (await client.postJson(`${url}/shorten`, body)).status;
        });
      });
      await wait(killAfterMs);
      await victim.kill();
      await Promise.all(racing);
      await read(survivor, 'after the kill', name);
      await victim.start();
      await read(victim, 'after the restart', name);
    }
    for (const app of [survivor, victim]) {
      await app.stop();
      await app.start();
      for (const name of new Set(readings.map((reading) => reading.name)))
        await read(app, 'at the end', name);
    }

    const told = new Set(
      history.operations.filter(({ outcome }) => outcome === 201).map(({ call }) => call.name),
    );
    const of = (status: number) =>
      history.operations.filter(({ outcome }) => outcome === status).length;
    return {
      observed: `${KILL_AFTER_MS.length} rounds: ${of(201)} creates were told 201, ${of(409)} were told 409, ${of(0)} lost their answer to the kill, ${KILL_AFTER_MS.length - told.size} of them with the alias`,
      faults: checkUniqueNames(history.operations, readings),
    };
  },
};
