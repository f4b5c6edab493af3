import { runLoad } from '../child-server.ts';
import type { Verdict } from '../report.ts';
import type { Suite } from '../suite.ts';
import { startShortener } from './redirect.ts';

const BODY = JSON.stringify({ longUrl: 'https://example.com/a/page?with=a&query=string' });
const HEADERS = { 'content-type': 'application/json' };

/** Creates at a fixed rate (open loop: latency counts from when a create was due), then as many as go. */
export const creates: Suite = {
  name: 'creates',
  async run({ seconds, createDatabase, redisUrl, say }) {
    const server = await startShortener(await createDatabase(), { REDIS_URL: redisUrl });
    const job = {
      url: `${server.url}/shorten`,
      method: 'POST',
      body: BODY,
      headers: HEADERS,
      expect: [201],
      connections: 64,
    };
    try {
      await runLoad({ ...job, seconds: 2 });
      const verdicts: Verdict[] = [];
      for (const [rate, limitMs] of [
        [500, 12],
        [2_000, 25],
      ] as const) {
        const outcome = await runLoad({ ...job, seconds: Math.max(5, seconds * 2), rate });
        const held = outcome.operations / Math.max(5, Math.round(seconds * 2));
        say(`creates at ${rate}/s: ${Math.round(held)}/s, p99 ${outcome.p99Ms} ms`);
        verdicts.push({
          promise: `${rate} creates/s with p99 < ${limitMs} ms`,
          measured: `${Math.round(held)}/s, p99 ${outcome.p99Ms} ms, ${outcome.failures} failed`,
          holds: held >= rate * 0.98 && outcome.p99Ms < limitMs && outcome.failures === 0,
        });
      }
      const most = await runLoad({ ...job, seconds });
      return {
        name: 'creates',
        title: 'Creating links',
        rows: [],
        verdicts,
        notes: [
          `Closed loop, 64 connections: ${Math.round(most.operations / seconds)} creates/s, p99 ${most.p99Ms} ms, load generator and database on the same cores.`,
        ],
      };
    } finally {
      await server.stop();
    }
  },
};
