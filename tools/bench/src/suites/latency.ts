import { type ChildServer, runLoad, startServer } from '../child-server.ts';
import { differenceOf, quantileOf, readHistogram } from '../histogram.ts';
import type { Suite } from '../suite.ts';
import { KEY, startGateway } from './gateway.ts';

const UNCOUNTED = new URL('../../peers/limits-uncounted.yaml', import.meta.url).pathname;

/** The load generator starts in this time; what it does meanwhile is no open loop yet. */
const WARM_UP_MS = 2_000;

/** On two cores that upstream, Redis and the load share; most of it is waiting for a core. */
const MOST_MS = 4;

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
      const running = load(counting, duration, rate);
      await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
      const before = await decisionTimes(counting);
      const withLimits = await running;
      const decisions = differenceOf(await decisionTimes(counting), before);
      const [p50Ms, p99Ms] = [0.5, 0.99].map((share) => quantileOf(share, decisions) * 1_000) as [
        number,
        number,
      ];
      const without = await load(uncounted, duration, rate);
      say(`at ${rate}/s: decisions p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`);
      return {
        name: 'latency',
        title: 'What the limiter adds',
        rows: [],
        verdicts: [
          {
            promise: `from hook to decision, p99 ≤ ${MOST_MS} ms at half of saturation`,
            measured: `${p99Ms.toFixed(2)} ms (p50 ${p50Ms.toFixed(2)} ms)`,
            holds: p99Ms <= MOST_MS,
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
