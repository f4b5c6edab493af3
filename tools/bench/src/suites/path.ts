import { runLoad } from '../child-server.ts';
import type { Suite } from '../suite.ts';
import { KEY, startGateway } from './gateway.ts';
import { createLink, startShortener } from './redirect.ts';

/** Aimed at: 10 ms. Wider, for load generator and stores have the same cores, and runs differ by a factor of two. */
const MOST_MS = 30;

/** The whole path of a visitor: a link's redirect through the gateway, its click recorded, at 60 % of what goes at most. */
export const path: Suite = {
  name: 'path',
  async run({ seconds, redisUrl, kafkaBrokers, createDatabase, say }) {
    const shortener = await startShortener(await createDatabase(), {
      REDIS_URL: redisUrl,
      KAFKA_BROKERS: kafkaBrokers.join(','),
    });
    const gateway = await startGateway(shortener.url, redisUrl);
    try {
      const job = {
        url: `${gateway.url}/${await createLink(shortener, {})}`,
        connections: 64,
        headers: { 'x-api-key': KEY },
        expect: [302],
      };
      await runLoad({ ...job, seconds: 3 });
      const most = (await runLoad({ ...job, seconds })).operations / seconds;
      const rate = Math.round(most * 0.6);
      const outcome = await runLoad({ ...job, seconds: Math.max(5, seconds * 2), rate });
      say(`at ${rate}/s: p50 ${outcome.p50Ms} ms, p99 ${outcome.p99Ms} ms`);
      return {
        name: 'path',
        title: 'A redirect through the gateway',
        rows: [],
        verdicts: [
          {
            promise: `p99 ≤ ${MOST_MS} ms at 60 % of saturation`,
            measured: `${outcome.p99Ms} ms (p50 ${outcome.p50Ms} ms), ${outcome.failures} failed`,
            holds: outcome.p99Ms <= MOST_MS && outcome.failures === 0,
          },
        ],
        notes: [`Saturation ${Math.round(most)}/s, open loop at ${rate}/s.`],
      };
    } finally {
      await gateway.stop();
      await shortener.stop();
    }
  },
};
