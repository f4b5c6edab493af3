import { until } from '@gatepost/test-services';
import { Redis } from 'ioredis';
import type { Stage } from '../stage.ts';
import type { ClockReading } from '../store-time.ts';

type Server = Awaited<ReturnType<Stage['startRedis']>>;

/** Asks a server without leaving a connection behind. */
export async function askRedis(port: number, ...command: string[]): Promise<unknown> {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined); // the command's own promise tells
  try {
    await client.connect();
    const [name, ...args] = command as [string, ...string[]];
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

export interface Replicated {
  readonly primary: Server;
  readonly replica: Server;
  /** As the gateway is told it. */
  readonly url: string;
}

/** A primary with a replica, and a sentinel that promotes it. */
export async function startReplicatedRedis(stage: Stage): Promise<Replicated> {
  const primary = await stage.startRedis();
  const replica = await stage.startRedis({
    args: ['--replicaof', '127.0.0.1', String(primary.port)],
  });
  const sentinel = await stage.startRedis({
    config: [
      `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 3000',
      '',
    ].join('\n'),
    args: ['--sentinel'],
  });
  const withinMs = 30_000;
  await until(
    async () =>
      String(await askRedis(replica.port, 'INFO', 'replication')).includes('master_link_status:up'),
    { withinMs, what: 'replication' },
  );
  // A sentinel that has not heard of the replica has nobody to promote.
  await until(
    async () =>
      ((await askRedis(sentinel.port, 'SENTINEL', 'REPLICAS', 'main')) as unknown[]).length === 1,
    { withinMs, what: 'the sentinel knowing the replica' },
  );
  return { primary, replica, url: `redis+sentinel://127.0.0.1:${sentinel.port}/main` };
}

/** Looks at a Redis' clock again and again. `readings` grow until the scenario ends. */
export function watchClock(stage: Stage, port: number): ClockReading[] {
  const readings: ClockReading[] = [];
  const client = new Redis({ port, host: '127.0.0.1' });
  client.on('error', () => undefined); // it may be killed while it is watched
  const timer = setInterval(() => {
    const sentMs = performance.now();
    client.time().then(
      (time) => {
        const [seconds, micros] = time as unknown as [string | number, string | number];
        const storeMs = Number(seconds) * 1_000 + Number(micros) / 1_000;
        readings.push({ sentMs, receivedMs: performance.now(), storeMs });
      },
      () => undefined, // away
    );
  }, 100);
  stage.onEnd(() => {
    clearInterval(timer);
    client.disconnect();
  });
  return readings;
}
