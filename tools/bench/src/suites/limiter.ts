import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { type Contender, compare } from '../measurement.ts';
import type { Suite } from '../suite.ts';

const PROGRAM = fileURLToPath(new URL('../../peers/limiter.mjs', import.meta.url));

/** Decisions over three windows for 5,000 callers, 256 under way at once; Node's CPU and Redis' own. */
export const limiter: Suite = {
  name: 'limiter',
  async run({ rounds, seconds, redisUrl, say }) {
    const redisPid = await pidOfRedis(redisUrl);
    const contender = (kind: string, name: string, role: Contender['role']): Contender => ({
      name,
      role,
      start: () => startDecider(kind, redisUrl, redisPid),
    });
    const rows = await compare(
      [
        contender('gatepost', 'gatepost: 3 windows, batched', 'ours'),
        contender('flexible', 'rate-limiter-flexible × 3', 'peer'),
        contender('single', 'single-bucket scripts × 3', 'peer'),
        contender('incr', 'pipelined INCR, no limit', 'limit'),
      ],
      { rounds, seconds, say },
    );
    const [ours] = rows;
    const incr = rows.at(-1);
    const share = (incr?.storeCpuUsPerOperation ?? 0) / (ours?.storeCpuUsPerOperation ?? 1);
    return {
      name: 'limiter',
      title: 'A decision of the limiter',
      rows,
      verdicts: [
        {
          promise: 'Node ≤ 6 µs a decision',
          measured: `${ours?.cpuUsPerOperation.toFixed(1)} µs`,
          holds: (ours?.cpuUsPerOperation ?? 99) <= 6,
        },
        {
          promise: 'decisions per Redis core ≥ 0.17 of pipelined INCR',
          measured: share.toFixed(2),
          holds: share >= 0.17,
        },
      ],
    };
  },
};

async function pidOfRedis(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    return Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  } finally {
    redis.disconnect();
  }
}

async function startDecider(kind: string, redisUrl: string, redisPid: number) {
  const child = fork(PROGRAM, [kind], {
    env: { PATH: process.env['PATH'] ?? '', REDIS_URL: redisUrl },
    execArgv: [],
  });
  const message = <T>() =>
    new Promise<T>((resolve, reject) => {
      child.once('message', (value) => resolve(value as T));
      child.once('exit', (code) => reject(new Error(`limiter ${kind} stopped with code ${code}`)));
    });
  await message();
  return {
    pids: [child.pid ?? 0],
    storePids: [redisPid],
    work: async (seconds: number) => {
      child.send({ seconds });
      return message<{ operations: number; failures: number }>();
    },
    stop: async () => {
      child.removeAllListeners('exit');
      child.kill('SIGTERM');
    },
  };
}
