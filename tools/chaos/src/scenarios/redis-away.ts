import { setTimeout as wait } from 'node:timers/promises';
import { startGateway, writeLimits } from '../actors/gateway.ts';
import { openUpstream } from '../actors/upstream.ts';
import type { App } from '../app.ts';
import { checkAvailability, type Phase } from '../checkers/availability.ts';
import { checkLimiterBound } from '../checkers/limiter-bound.ts';
import { History, type Operation } from '../history.ts';
import { Client } from '../http.ts';
import { metricSum } from '../metrics.ts';
import { OpenLoop } from '../open-loop.ts';
import type { Observation, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { excessWaits, quantile } from '../waits.ts';

type Redis = Awaited<ReturnType<Stage['startRedis']>>;
type Operations = readonly Operation<string, number>[];

interface Fault {
  /** Makes it so. */
  readonly begin: (redis: Redis) => Promise<void> | void;
  /** Undoes it; returns when Redis answers again. */
  readonly end: (redis: Redis) => Promise<void> | void;
  /** Longest that a request may wait for a store that is away. */
  readonly waitMs: number;
  /** The gateway's histogram counts up to there; the next bound at or above `waitMs`, seconds. */
  readonly bound: string;
}

const BUCKET = { capacity: 40, perSecond: 20 };
/** Gateways by their policy, and one without a store, whose answers tell how fast the machine is. */
const CONTROL = 'control';
const POLICIES = ['open', 'closed', 'local'];
const REQUESTS_PER_SECOND = 320;
const CALM_MS = 4_000;
const AWAY_MS = 4_000;
const BACK_WITHIN_MS = 300;
const SETTLED_MS = 1_500;
/** A busy machine holds up one request and not another. */
const PATIENCE_MS = 250;
/** What is late once may be the machine's doing, three times in a row is not. Wrong answers are wrong at once. */
const MOST_ATTEMPTS = 3;
/** Decisions that took longer by the gateway's own clock: it too may be held up in the middle. */
const MOST_LATE = 0.02;
/** On a machine that does something else as well the store misses its 25 ms now and then. */
const MOST_UNDECIDED = 0.1;

export const redisKilled: Scenario = {
  name: 'redis-killed',
  promise:
    'With Redis killed no request waits longer than 5 ms for it, each is answered as the outage policy says, and limits are back within 300 ms of its return.',
  needs: ['redis-server'],
  run: (stage) =>
    takeRedisAway(stage, {
      begin: (redis) => redis.kill(),
      end: (redis) => redis.restart(),
      waitMs: 5,
      bound: '0.005',
    }),
};

export const redisHung: Scenario = {
  name: 'redis-hung',
  promise:
    'With Redis hung (SIGSTOP) no request waits longer than 30 ms for it, each is answered as the outage policy says, and limits are back within 300 ms of its return.',
  needs: ['redis-server'],
  run: (stage) =>
    takeRedisAway(stage, {
      begin: (redis) => redis.pause(),
      end: (redis) => redis.resume(),
      waitMs: 30,
      bound: '0.05',
    }),
};

async function takeRedisAway(stage: Stage, fault: Fault): Promise<Observation> {
  const redis = await stage.startRedis();
  const upstream = await openUpstream(stage);
  const limits = writeLimits(stage, POLICIES, BUCKET);
  const names = [CONTROL, ...POLICIES];
  const gateways: App[] = [];
  for (const name of names) {
    const env = name === CONTROL ? {} : { LIMITER_ON_STORE_FAILURE: name };
    const redisUrl = name === CONTROL ? undefined : redis.url;
    gateways.push(await startGateway(stage, { name, upstream, limits, redisUrl, env }));
  }
  const client = new Client(256);
  stage.onEnd(() => client.close());
  const history = new History<string, number>();
  const loop = new OpenLoop(REQUESTS_PER_SECOND, async (number) => {
    const at = number % names.length;
    const name = names[at] ?? '';
    await history.record(name, async () => {
      const headers = { 'x-api-key': name };
      return (await client.ask({ url: `${gateways[at]?.url}/page`, headers })).status;
    });
  });
  stage.onEnd(() => loop.stop());

  await wait(1_000); // the first requests of a process are slow
  for (let attempt = 1; ; attempt++) {
    const course = await takeAwayOnce(stage, { redis, gateways, fault });
    const { observed, late, wrong } = judge(history.operations, course);
    if (wrong.length > 0 || late.length === 0 || attempt === MOST_ATTEMPTS) {
      await loop.stop();
      return { observed, faults: [...late, ...wrong] };
    }
    stage.say(`too late, which may be the machine: once more (${late.join('; ')})`);
  }
}

async function takeAwayOnce(
  stage: Stage,
  { redis, gateways, fault }: { redis: Redis; gateways: readonly App[]; fault: Fault },
): Promise<Course> {
  const calmMs = performance.now();
  await wait(CALM_MS);
  const before = await countDecisions(gateways.slice(1), fault.bound);
  stage.say('Redis goes away');
  const awayMs = performance.now();
  await fault.begin(redis);
  await wait(AWAY_MS);
  const after = await countDecisions(gateways.slice(1), fault.bound);
  stage.say('Redis comes back');
  const endingMs = performance.now();
  // For a restart: when it answers, not when it was asked to start.
  await fault.end(redis);
  const returnedMs = performance.now();
  await wait(SETTLED_MS + CALM_MS / 2);
  return {
    fault,
    calmMs,
    awayMs,
    endingMs,
    returnedMs,
    settledUntilMs: performance.now(),
    decided: after.all - before.all,
    late: after.late - before.late,
  };
}

interface Course {
  readonly fault: Fault;
  readonly calmMs: number;
  readonly awayMs: number;
  /** Redis begins to come back; a gateway may find it before this process does. */
  readonly endingMs: number;
  readonly returnedMs: number;
  /** Until then it was watched. */
  readonly settledUntilMs: number;
  /** Decisions while Redis was away, and those of them that took longer than is promised, by the gateways' own clocks. */
  readonly decided: number;
  readonly late: number;
}

/** What the limiters of all gateways have decided so far, and how much of it took longer than `bound` seconds. */
async function countDecisions(gateways: readonly App[], bound: string) {
  const name = 'rate_limit_decision_duration_seconds';
  const texts = await Promise.all(gateways.map((gateway) => gateway.metrics()));
  const sumOf = (metric: string, labels: string[]) =>
    texts.reduce((sum, text) => sum + metricSum(text, metric, labels), 0);
  const all = sumOf(`${name}_count`, []);
  return { all, late: all - sumOf(`${name}_bucket`, [`le="${bound}"`]) };
}

/** What was late, and what was wrong. */
function judge(operations: Operations, course: Course) {
  const { fault, calmMs, awayMs, endingMs, returnedMs, late } = course;
  const noise = longestWait(operations, calmMs, awayMs);
  const longest = longestWait(operations, awayMs, endingMs);
  const allowedMs = fault.waitMs + 2 * noise.longestMs + PATIENCE_MS;
  const decided = operations.find(
    ({ call, outcome, startMs }) =>
      call === 'closed' && startMs >= returnedMs && (outcome === 200 || outcome === 429),
  );
  const backMs = decided ? decided.endMs - returnedMs : Number.POSITIVE_INFINITY;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return {
    observed: `${late} of ${course.decided} decisions took longer than ${fault.bound} s by the gateways’ own clocks; clients waited ${ms(longest.longestMs)} at most, ${ms(longest.p99Ms)} at p99 (${ms(noise.longestMs)} and ${ms(noise.p99Ms)} with Redis there: the machine); limits were back after ${ms(backMs)}`,
    late: [
      ...(course.decided === 0 ? ['the gateways counted no decision'] : []),
      ...(late <= course.decided * MOST_LATE
        ? []
        : [`${late} of ${course.decided} decisions took longer than ${fault.bound} s`]),
      ...(longest.longestMs <= allowedMs
        ? []
        : [`a request waited ${ms(longest.longestMs)}, ${ms(allowedMs)} are allowed`]),
      ...(backMs <= BACK_WITHIN_MS + PATIENCE_MS ? [] : [`limits were back after ${ms(backMs)}`]),
      ...checkDecided(operations, 'before', calmMs, awayMs),
      ...checkDecided(operations, 'back', returnedMs + SETTLED_MS, course.settledUntilMs),
    ],
    wrong: checkPolicies(operations, course),
  };
}

function checkPolicies(operations: Operations, course: Course): string[] {
  const { calmMs, awayMs, endingMs, returnedMs, settledUntilMs } = course;
  const settledMs = returnedMs + SETTLED_MS;
  const local = operations.filter(
    ({ call, outcome, startMs, endMs }) =>
      call === 'local' && outcome === 200 && startMs >= awayMs && endMs <= endingMs,
  );
  const between = (name: string, fromMs: number, untilMs: number, closed: number[]): Phase => ({
    name,
    fromMs,
    untilMs,
    allowed: { open: closed.includes(429) ? [200, 429] : [200], closed, local: [200, 429] },
  });
  return [
    ...checkAvailability(operations, [
      between('before', calmMs, awayMs, [200, 429, 503]),
      between('away', awayMs, endingMs, [503]),
      between('coming back', endingMs, settledMs, [200, 429, 503]),
      between('back', settledMs, settledUntilMs, [200, 429, 503]),
    ]),
    ...checkLimiterBound(
      local.map(({ startMs, endMs }) => ({ fromMs: startMs, untilMs: endMs })),
      BUCKET,
    ).map((text) => `policy local: ${text}`),
  ];
}

/** Where the store decides, callers over their limit are refused, and hardly anything is left to the policy. */
function checkDecided(
  operations: Operations,
  name: string,
  fromMs: number,
  untilMs: number,
): string[] {
  const these = operations.filter(({ startMs, endMs }) => startMs >= fromMs && endMs <= untilMs);
  const undecided = these.filter(({ outcome }) => outcome === 503).length;
  const closed = these.filter(({ call }) => call === 'closed').length;
  const unlimited = ['open', 'closed'].filter(
    (policy) => !these.some(({ call, outcome }) => call === policy && outcome === 429),
  );
  return [
    ...(undecided <= closed * MOST_UNDECIDED
      ? []
      : [`${name}: ${undecided} of ${closed} requests were not decided by the store`]),
    ...unlimited.map((policy) => `${name}: nobody was limited by the gateway "${policy}"`),
  ];
}

function longestWait(operations: Operations, fromMs: number, untilMs: number) {
  const waits = (isWanted: (call: string) => boolean) =>
    operations
      .filter(({ call, startMs }) => isWanted(call) && startMs >= fromMs && startMs < untilMs)
      .map(({ startMs, endMs }) => ({ startMs, tookMs: endMs - startMs }));
  const excess = excessWaits(
    waits((call) => call !== CONTROL),
    waits((call) => call === CONTROL),
  );
  return { longestMs: Math.max(0, ...excess), p99Ms: quantile(excess, 0.99) };
}
