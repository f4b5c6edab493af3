import { type ChildServer, runLoad, startServer } from '../child-server.ts';
import { differenceOf, quantileOf, readHistogram } from '../histogram.ts';
import type { Suite } from '../suite.ts';
import { KEY, startGateway } from './gateway.ts';

const UNCOUNTED = new URL('../../peers/limits-uncounted.yaml', import.meta.url).pathname;

/** What the limiter adds at half of what the machine can do: by its own histogram, and beside a gateway that counts nobody. */
export const latency: Suite = {
  name: 'latency',
  async run({ seconds, redisUrl, say }) {
    const upstream = await startServer('upstream.mjs');
    const counting = await startGateway(upstream.url, redisUrl);
    const uncounted = await startGateway(upstream.url, redisUrl, { LIMITS_FILE: UNCOUNTED });
    const load = (server: ChildServer, duration: number, rate?: number) =>
      runLoad({
        url: `${server.url}/some/path`,
        connections: 64,
        headers: { 'x-api-key': KEY },
        seconds: duration,
        ...(rate === undefined ? {} : { rate }),
      });
    try {
      await load(uncounted, 2);
      await load(counting, 2);
      const most = (await load(counting, seconds)).operations / seconds;
      const rate = Math.round(most / 2);
      const duration = Math.max(5, seconds * 2);
      const before = await decisionTimes(counting);
      const withLimits = await load(counting, duration, rate);
      const p99Ms = quantileOf(0.99, differenceOf(await decisionTimes(counting), before)) * 1_000;
      const without = await load(uncounted, duration, rate);
      say(`at ${rate}/s: decisions p99 ${p99Ms.toFixed(2)} ms`);
      return {
        name: 'latency',
        title: 'What the limiter adds',
        rows: [],
        verdicts: [
          {
            promise: 'from hook to decision, p99 ≤ 1 ms at half of saturation',
            measured: `${p99Ms.toFixed(2)} ms`,
            holds: p99Ms <= 1,
          },
        ],
        notes: [
          `Saturation ${Math.round(most)}/s, open loop at ${rate}/s. Through the gateway with limits: p50 ${withLimits.p50Ms} ms, p99 ${withLimits.p99Ms} ms; counting nobody: p50 ${without.p50Ms} ms, p99 ${without.p99Ms} ms.`,
        ],
      };
    } finally {
      await Promise.all([counting, uncounted, upstream].map((server) => server.stop()));
    }
  },
};

async function decisionTimes(server: ChildServer) {
  const answer = await fetch(`${server.managementUrl}/metrics`);
  return readHistogram(await answer.text(), 'rate_limit_decision_duration_seconds');
}
