import { type ChildServer, startServer } from '../child-server.ts';
import { residentBytes } from '../cpu-time.ts';
import { median } from '../statistics.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { startGateway } from './gateway.ts';
import { startShortener } from './redirect.ts';

/** Resident memory of each app when idle, and how long a start takes; the database stands and is migrated. */
export const footprint: Suite = {
  name: 'footprint',
  async run(context) {
    const rows: string[] = [];
    const verdicts = [];
    for (const [name, start] of await startersOf(context)) {
      const times: number[] = [];
      let megabytes = 0;
      for (let round = 0; round < context.rounds; round++) {
        const before = performance.now();
        const server = await start();
        times.push(performance.now() - before);
        if (round === context.rounds - 1) {
          await new Promise((resolve) =>
            setTimeout(resolve, Math.min(60, context.seconds * 6) * 1_000),
          );
          megabytes = residentBytes(server.pid) / 1e6;
        }
        await server.stop();
      }
      rows.push(
        `${name}: ready in ${Math.round(median(times))} ms, ${megabytes.toFixed(0)} MB resident`,
      );
      context.say(rows.at(-1) ?? '');
      if (isNodeOfImages())
        verdicts.push({
          promise: `${name}: ≤ 130 MB resident when idle`,
          measured: `${megabytes.toFixed(0)} MB`,
          holds: megabytes <= 130,
        });
      verdicts.push({
        promise: `${name}: starts in ≤ 1 s`,
        measured: `${Math.round(median(times))} ms`,
        holds: median(times) <= 1_000,
      });
    }
    return {
      name: 'footprint',
      title: 'Memory and start',
      rows: [],
      verdicts,
      notes: [
        `Node ${process.versions.node}; ${rows.join('; ')}.`,
        ...(isNodeOfImages() ? [] : ['The promise on memory is one on Node 24, as in the images.']),
      ],
    };
  },
};

/** Earlier versions of Node need some 20 MB more for the same program. */
function isNodeOfImages(): boolean {
  return Number(process.versions.node.split('.')[0]) >= 24;
}

async function startersOf({
  createDatabase,
  redisUrl,
  kafkaBrokers,
}: SuiteContext): Promise<[string, () => Promise<ChildServer>][]> {
  const links = await createDatabase();
  const identity = await createDatabase();
  const auth = () =>
    startServer('apps/auth-server/dist/main.js', {
      DATABASE_URL: identity,
      PORT: '0',
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'warn',
    });
  const starters: [string, () => Promise<ChildServer>][] = [
    ['gateway-limiter', () => startGateway('http://127.0.0.1:9', redisUrl)],
    ['auth-server', auth],
    [
      'shortener',
      () => startShortener(links, { REDIS_URL: redisUrl, KAFKA_BROKERS: kafkaBrokers.join(',') }),
    ],
  ];
  for (const [, start] of starters.slice(1)) await (await start()).stop(); // migrates, makes keys
  return starters;
}
