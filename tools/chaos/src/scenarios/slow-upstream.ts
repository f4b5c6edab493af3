import { setTimeout as wait } from 'node:timers/promises';
import { Bystanders } from '../actors/bystanders.ts';
import { startGateway, writeLimits } from '../actors/gateway.ts';
import { openUpstream } from '../actors/upstream.ts';
import { checkAvailability } from '../checkers/availability.ts';
import { History } from '../history.ts';
import { Client } from '../http.ts';
import { residentMegabytes } from '../memory.ts';
import { OpenLoop } from '../open-loop.ts';
import type { Scenario } from '../scenario.ts';

const CALM_MS = 3_000;
const SLOW_MS = 8_000;
const HEAD_TIMEOUT_MS = 2_000;
/** More than connections and queue of the slow pool hold for the length of the time limit. */
const SLOW_PER_SECOND = 100;
const CONNECTIONS = 64;
const WAITING = 64;
const MOST_MEGABYTES = 100;

export const slowUpstream: Scenario = {
  name: 'slow-upstream',
  promise:
    'An upstream that stops answering costs its own clients a 503 or 504 in bounded time, other routes and the memory of the gateway nothing; it is used again when it answers.',
  needs: [],
  async run(stage) {
    let isSlow = false;
    const slow = await openUpstream(stage, (request, response) => {
      request.resume();
      if (!isSlow) response.end('ok'); // else never: the gateway's limit ends it
    });
    const fast = await openUpstream(stage);
    const routes = stage.writeFile('routes.json', {
      pools: {
        slow: {
          peers: [slow],
          connections: CONNECTIONS,
          waiting: WAITING,
          headTimeoutMs: HEAD_TIMEOUT_MS,
        },
        fast: { peers: [fast] },
      },
      routes: [
        { name: 'slow', paths: ['/slow'], pool: 'slow' },
        { name: 'fast', pool: 'fast' },
      ],
    });
    const gateway = await startGateway(stage, {
      name: 'gateway',
      upstream: fast,
      redisUrl: undefined,
      limits: writeLimits(stage),
      env: { ROUTES_FILE: routes },
    });
    const bystanders = new Bystanders(stage, `${gateway.url}/fast`);
    const client = new Client(1_000);
    stage.onEnd(() => client.close());
    const history = new History<string, number>();
    const loop = new OpenLoop(SLOW_PER_SECOND, async () => {
      const ask = async () => (await client.ask({ url: `${gateway.url}/slow/page` })).status;
      await history.record('slow', ask);
    });
    stage.onEnd(() => loop.stop());

    await wait(1_000);
    const calmMs = performance.now();
    await wait(CALM_MS);
    const slowMs = performance.now();
    const memory = residentMegabytes(gateway.pid);
    stage.say('the upstream stops answering');
    isSlow = true;
    await wait(SLOW_MS);
    const grown = residentMegabytes(gateway.pid) - memory;
    isSlow = false;
    const answersMs = performance.now();
    await wait(HEAD_TIMEOUT_MS + 1_000 + CALM_MS);
    await Promise.all([loop.stop(), bystanders.stop()]);

    const { operations } = history;
    const longest = Math.max(...operations.map(({ startMs, endMs }) => endMs - startMs));
    // It may wait for a connection as long as those before it have theirs.
    const most = HEAD_TIMEOUT_MS * (1 + WAITING / CONNECTIONS) + 2_000;
    const phase = (name: string, fromMs: number, untilMs: number, slowly: number[]) => ({
      name,
      fromMs,
      untilMs,
      allowed: { slow: slowly },
    });
    const count = (status: number) => operations.filter(({ outcome }) => outcome === status).length;
    return {
      observed: `${count(504)} requests to it were answered 504 and ${count(503)} at once 503, the slowest after ${(longest / 1_000).toFixed(1)} s; on the other route p99 was ${bystanders.p99(slowMs, answersMs).toFixed(1)} ms (${bystanders.p99(calmMs, slowMs).toFixed(1)} ms before); memory grew by ${grown.toFixed(0)} MB`,
      faults: [
        ...checkAvailability(operations, [
          phase('before', calmMs, slowMs, [200]),
          phase('slow', slowMs, answersMs, [503, 504]),
          phase('coming back', answersMs, answersMs + HEAD_TIMEOUT_MS + 1_000, [200, 503, 504]),
          phase('back', answersMs + HEAD_TIMEOUT_MS + 1_000, Number.POSITIVE_INFINITY, [200]),
        ]),
        ...(longest <= most ? [] : [`a request waited ${longest.toFixed(0)} ms`]),
        ...(grown <= MOST_MEGABYTES ? [] : [`memory grew by ${grown.toFixed(0)} MB`]),
        ...bystanders.judge([calmMs, slowMs], [slowMs, answersMs]),
      ],
    };
  },
};
