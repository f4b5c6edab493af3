import { setTimeout as wait } from 'node:timers/promises';
import { Balancer } from '../actors/balancer.ts';
import { settledCounts, sum } from '../actors/click-counts.ts';
import { startGateway, writeLimits } from '../actors/gateway.ts';
import { createLinks, startShortener } from '../actors/shortener.ts';
import { SteadyLoad } from '../actors/steady-load.ts';
import { type App, PUBLIC_URL } from '../app.ts';
import { checkAvailability } from '../checkers/availability.ts';
import { checkCounts } from '../checkers/counts.ts';
import { Client } from '../http.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

/** Longer than a balancer takes to see that a process is not ready any more. */
const DRAIN_DELAY_MS = '1000';
/** As an orchestrator waits before it takes the next. */
const BETWEEN_MS = 1_000;
const COUNTED_WITHIN_MS = 60_000;

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  promise:
    'A rolling restart (SIGTERM) of two processes of every service under load fails no request and loses no click.',
  needs: ['postgres', 'redis-server', 'kafka-server'],
  async run(stage) {
    const databaseUrl = await stage.createDatabase();
    const { apps, gatewayUrl, shortenerUrl } = await startPlatform(stage, databaseUrl);
    const client = new Client();
    stage.onEnd(() => client.close());
    const codes = await createLinks(client, shortenerUrl, 20);
    const beganMs = performance.now();
    const load = await SteadyLoad.start(stage, { url: gatewayUrl, codes });
    await wait(2_000);
    const exits: string[] = [];
    for (const app of apps) {
      stage.say(`restarting ${app.name}`);
      const code = await app.stop();
      if (code !== 0) exits.push(`${app.name} ended with ${code}`);
      await app.start();
      await wait(BETWEEN_MS);
    }
    await wait(2_000);
    await load.stop();
    stage.writeFile('surprises.json', load.surprises);

    const counts = await settledCounts(databaseUrl, load.clicks, COUNTED_WITHIN_MS);
    const untilMs = Number.POSITIVE_INFINITY;
    const allowed = { redirect: [302], create: [201], token: [200] };
    const { operations } = load.history;
    const answered = operations.filter(({ call, outcome }) =>
      allowed[call as keyof typeof allowed].includes(outcome),
    );
    const clicks = [...counts.values()];
    return {
      observed: `${apps.length} processes restarted in ${((performance.now() - beganMs) / 1_000).toFixed(0)} s; ${operations.length - answered.length} of ${operations.length} requests failed; ${sum(clicks.map(({ counted }) => counted))} of ${sum(clicks.map(({ acknowledged }) => acknowledged))} clicks counted`,
      faults: [
        ...exits,
        ...checkAvailability(operations, [
          { name: 'throughout', fromMs: beganMs, untilMs, allowed },
        ]),
        ...checkCounts(counts),
      ],
    };
  },
};

/** Two of everything, the gateways behind a balancer; in the order of a rollout. */
async function startPlatform(stage: Stage, databaseUrl: string) {
  const [redis, kafka, authDatabase] = await Promise.all([
    stage.startRedis(),
    stage.startKafka(),
    stage.createDatabase(),
  ]);
  const draining = { DRAIN_DELAY_MS };
  const auths = await startTwo('auth', (name) =>
    stage.startApp({
      name,
      app: 'auth-server',
      env: { DATABASE_URL: authDatabase, PUBLIC_URL, DEMO: 'true', ...draining },
    }),
  );
  const identity = { AUTH_INTERNAL_URL: `${await Balancer.open(stage, auths)}/auth` };
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    KAFKA_BROKERS: kafka.brokers.join(','),
    ...identity,
    ...draining,
  };
  const shorteners = await startTwo('shortener', (name) => startShortener(stage, name, env));
  const workers = await startTwo('worker', (name) => startShortener(stage, name, env, 'worker'));
  const limits = writeLimits(stage);
  const gateways = await startTwo('gateway', (name) =>
    startGateway(stage, {
      name,
      upstream: '',
      redisUrl: redis.url,
      limits,
      env: {
        PUBLIC_URL,
        AUTH_UPSTREAM: auths.map(({ url }) => url).join(','),
        SHORTENER_UPSTREAM: shorteners.map(({ url }) => url).join(','),
        ...identity,
        ...draining,
      },
    }),
  );
  return {
    apps: [...auths, ...shorteners, ...workers, ...gateways],
    shortenerUrl: shorteners[0]?.url ?? '',
    gatewayUrl: await Balancer.open(stage, gateways),
  };
}

async function startTwo(name: string, start: (name: string) => Promise<App>): Promise<App[]> {
  return [await start(`${name}-1`), await start(`${name}-2`)];
}
