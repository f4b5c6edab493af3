import { setTimeout as wait } from 'node:timers/promises';
import { startGateway, writeLimits } from '../actors/gateway.ts';
import { LimitedLoad } from '../actors/limited-load.ts';
import { askRedis, startReplicatedRedis, watchClock } from '../actors/redis.ts';
import { openUpstream } from '../actors/upstream.ts';
import type { App } from '../app.ts';
import { backAfterMs, checkAvailability } from '../checkers/availability.ts';
import type { Scenario } from '../scenario.ts';

const BUCKET = { capacity: 80, perSecond: 40 };
const KEYS = ['watched-one', 'watched-two', 'watched-three'];
const REQUESTS_PER_SECOND = 360;
const PHASE_MS = 5_000;
/** Replication is asynchronous: what the primary decided in its last moments, the replica may not have heard of. */
const UNREPLICATED_MS = 250;
const BACK_WITHIN_MS = 8_000;

export const limiterThreeGateways: Scenario = {
  name: 'limiter-three-gateways',
  promise:
    'Three gateways on one Redis admit no caller more than capacity + rate × time; not during SCRIPT FLUSH either, and after a failover no more besides than what was not replicated.',
  needs: ['redis-server'],
  async run(stage) {
    const { primary, replica, url } = await startReplicatedRedis(stage);
    const upstream = await openUpstream(stage);
    const limits = writeLimits(stage, KEYS, BUCKET);
    const gateways: App[] = [];
    for (const name of ['gateway-1', 'gateway-2', 'gateway-3'])
      gateways.push(
        await startGateway(stage, {
          name,
          upstream,
          limits,
          redisUrl: url,
          // Nothing is admitted that was not decided; and a busy machine is no reason not to decide.
          env: { LIMITER_ON_STORE_FAILURE: 'closed', LIMITER_STORE_TIMEOUT_MS: '1000' },
        }),
      );
    const clock = watchClock(stage, replica.port);

    const beganMs = performance.now();
    const load = new LimitedLoad(stage, KEYS, gateways, REQUESTS_PER_SECOND);
    await wait(PHASE_MS);
    stage.say('SCRIPT FLUSH, every 40 ms');
    let flushes = 0;
    for (const end = performance.now() + PHASE_MS; performance.now() < end; flushes++) {
      await askRedis(primary.port, 'SCRIPT', 'FLUSH');
      await wait(40);
    }
    stage.say('the primary is killed');
    const killedMs = performance.now();
    await primary.kill();
    await wait(BACK_WITHIN_MS + PHASE_MS);
    await load.stop();

    const { operations } = load.history;
    const decided = [200, 429];
    const back = backAfterMs(
      operations.map((operation) => ({ ...operation, call: 'any' })),
      { sinceMs: killedMs, kind: 'any', good: decided },
    );
    const phase = (name: string, fromMs: number, untilMs: number, allowed: number[]) => ({
      name,
      fromMs,
      untilMs,
      allowed: Object.fromEntries(KEYS.map((key) => [key, allowed])),
    });
    const backMs = killedMs + BACK_WITHIN_MS;
    return {
      observed: `${load.count(200)} of ${operations.length} requests of ${KEYS.length} callers were admitted, ${flushes} flushes; limits were back ${back?.toFixed(0) ?? '(never)'} ms after the primary was killed, ${load.count(503)} requests were answered 503 until then`,
      faults: [
        ...load.judge(BUCKET, clock, { untilMs: killedMs, grants: 0.9 }),
        ...load.judge(BUCKET, clock, {
          allowance: (admitted) =>
            admitted.filter(
              ({ endMs, startMs }) => endMs >= killedMs - UNREPLICATED_MS && startMs <= killedMs,
            ).length,
        }),
        ...checkAvailability(operations, [
          phase('with all there', beganMs, killedMs, decided),
          phase('failover', killedMs, backMs, [...decided, 503]),
          phase('after the failover', backMs, Number.POSITIVE_INFINITY, decided),
        ]),
      ],
    };
  },
};
