// Decides as fast as it can, 256 callers at a time, each over three windows: `node limiter.mjs gatepost|flexible|single|incr`.
// Asked over IPC `{ seconds }`, answers `{ type: 'done', operations, failures }`.
import Redis from 'ioredis';

const [kind] = process.argv.slice(2);
const CALLERS = 5_000;
const AT_ONCE = 256;
const WINDOWS = [
  [1_000, 10_000_000],
  [60_000, 100_000_000],
  [86_400_000, 1_000_000_000],
];
const redis = new Redis(process.env.REDIS_URL, { enableAutoPipelining: kind === 'incr' });
const callers = Array.from(
  { length: CALLERS },
  (_, index) => `bench${kind}${index.toString(36).padStart(20, '0')}`,
);

/** One bucket a script run, node clock, as single-key scripts do it. */
const SINGLE = `local s=redis.call('HMGET',KEYS[1],'t','n') local cap,rate,now=tonumber(ARGV[1]),tonumber(ARGV[2]),tonumber(ARGV[3])
local t,n=tonumber(s[1]) or now,tonumber(s[2]) or cap n=math.min(cap,n+(now-t)*rate)
if n<1 then return -1 end redis.call('HSET',KEYS[1],'t',now,'n',n-1) redis.call('PEXPIRE',KEYS[1],math.ceil(cap/rate)) return n-1`;

const makers = {
  /** The gateway's own: three windows in one value, many callers in one run of the script. */
  async gatepost() {
    const [{ SharedBuckets }, { definePolicy }] = await Promise.all([
      import('../../../apps/gateway-limiter/dist/limiting/shared-buckets.js'),
      import('@gatepost/limiter-core'),
    ]);
    const buckets = new SharedBuckets({
      url: process.env.REDIS_URL,
      timeoutMs: 1_000,
      monotonicUs: () => Math.floor(performance.now() * 1_000),
      onCall: () => undefined,
      onPhase: () => undefined,
    });
    await buckets.connected?.(5_000);
    const policy = definePolicy('', {
      second: { limit: 10_000_000 },
      minute: { limit: 100_000_000 },
      day: { limit: 1_000_000_000 },
    });
    return async (caller) =>
      (await buckets.take([{ key: `rl:${caller.slice(-2)}:${caller}`, policy, cost: 1 }])) !==
      undefined;
  },
  /** rate-limiter-flexible: a fixed window each, three of them for a caller. */
  async flexible() {
    const { RateLimiterRedis } = await import('rate-limiter-flexible');
    const limiters = WINDOWS.map(
      ([ms, points]) =>
        new RateLimiterRedis({
          storeClient: redis,
          keyPrefix: `flexible${ms}`,
          points,
          duration: ms / 1_000,
        }),
    );
    return async (caller) =>
      (await Promise.all(limiters.map((limiter) => limiter.consume(caller)))).length === 3;
  },
  async single() {
    redis.defineCommand('takeOne', { numberOfKeys: 1, lua: SINGLE });
    return async (caller) =>
      (
        await Promise.all(
          WINDOWS.map(([ms, points]) =>
            redis.takeOne(`${caller}:${ms}`, points, points / ms, Date.now()),
          ),
        )
      ).every((left) => left >= 0);
  },
  /** The limit: one INCR a decision, pipelined. It limits nothing. */
  async incr() {
    return async (caller) => (await redis.incr(caller)) > 0;
  },
};

const decide = await makers[kind]();
let next = 0;
process.on('message', async ({ seconds }) => {
  const until = performance.now() + seconds * 1_000;
  let operations = 0;
  let failures = 0;
  const worker = async () => {
    while (performance.now() < until) {
      const caller = callers[next++ % CALLERS];
      if (await decide(caller).catch(() => false)) operations += 1;
      else failures += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.send({ type: 'done', operations, failures });
});
process.on('disconnect', () => process.exit(0));
process.send({ type: 'ready' });
