import { setTimeout as wait } from 'node:timers/promises';
import { startGateway, writeLimits } from '../actors/gateway.ts';
import { LimitedLoad } from '../actors/limited-load.ts';
import { watchClock } from '../actors/redis.ts';
import { openUpstream } from '../actors/upstream.ts';
import type { App } from '../app.ts';
import { checkAvailability } from '../checkers/availability.ts';
import { Client } from '../http.ts';
import type { Scenario } from '../scenario.ts';

const BUCKET = { capacity: 60, perSecond: 30 };
const KEYS = ['watched'];
const REQUESTS_PER_SECOND = 150;
const PHASE_MS = 4_000;
const HOUR_MS = 3_600_000;
/** The clocks of the three gateways: right, an hour ahead, an hour behind; the wrong ones are then set the other way. */
const CLOCKS = [
  { shiftMs: 0, stepMs: 0 },
  { shiftMs: HOUR_MS, stepMs: -2 * HOUR_MS },
  { shiftMs: -HOUR_MS, stepMs: 2 * HOUR_MS },
];
const PRELOAD = new URL('../../preload/shifted-clock.mjs', import.meta.url).href;
/** A full second more than the bucket takes to fill. */
const RESET_WITHIN_S = BUCKET.capacity / BUCKET.perSecond + 2;

export const clockSteps: Scenario = {
  name: 'clock-steps',
  promise:
    'A gateway whose clock is an hour wrong, or is set by two hours while it works, limits as the others do.',
  needs: ['redis-server'],
  async run(stage) {
    const redis = await stage.startRedis();
    const upstream = await openUpstream(stage);
    const limits = writeLimits(stage, KEYS, BUCKET);
    const gateways: App[] = [];
    for (const [index, { shiftMs, stepMs }] of CLOCKS.entries())
      gateways.push(
        await startGateway(stage, {
          name: `gateway-${index + 1}`,
          upstream,
          redisUrl: redis.url,
          limits,
          env: {
            LIMITER_ON_STORE_FAILURE: 'closed',
            LIMITER_STORE_TIMEOUT_MS: '1000',
            NODE_OPTIONS: `--import ${PRELOAD}`,
            CLOCK_SHIFT_MS: String(shiftMs),
            CLOCK_STEP_MS: String(stepMs),
          },
        }),
      );
    const clock = watchClock(stage, redis.port);
    const beganMs = performance.now();
    const load = new LimitedLoad(stage, KEYS, gateways, REQUESTS_PER_SECOND);
    await wait(PHASE_MS);
    const resets = await readResets(gateways);
    stage.say('two of three clocks are set by two hours');
    for (const gateway of gateways.slice(1)) gateway.signal('SIGUSR2');
    await wait(PHASE_MS);
    resets.push(...(await readResets(gateways)));
    await load.stop();

    const { operations } = load.history;
    const wrongResets = resets.filter((seconds) => seconds < -1 || seconds > RESET_WITHIN_S);
    return {
      observed: `${load.count(200)} of ${operations.length} requests over three gateways were admitted; the reset that they name is ${Math.min(...resets).toFixed(1)} to ${Math.max(...resets).toFixed(1)} s ahead`,
      faults: [
        ...load.judge(BUCKET, clock, { grants: 0.9 }),
        ...checkAvailability(operations, [
          {
            name: 'throughout',
            fromMs: beganMs,
            untilMs: Number.POSITIVE_INFINITY,
            allowed: Object.fromEntries(KEYS.map((key) => [key, [200, 429]])),
          },
        ]),
        ...wrongResets.map((seconds) => `a gateway names a reset ${seconds.toFixed(0)} s ahead`),
      ],
    };
  },
};

/** How far ahead of the right time `X-RateLimit-Reset` of each gateway is, seconds. */
async function readResets(gateways: readonly App[]): Promise<number[]> {
  const client = new Client();
  const headers = { 'x-api-key': KEYS[0] ?? '' };
  const resets: number[] = [];
  for (const { url } of gateways) {
    const answer = await client.ask({ url: `${url}/page`, headers });
    resets.push(Number(answer.headers['x-ratelimit-reset']) - Date.now() / 1_000);
  }
  client.close();
  return resets;
}
