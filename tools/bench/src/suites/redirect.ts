import { type ChildServer, startServer } from '../child-server.ts';
import { httpContender, peer } from '../http-contender.ts';
import { compare } from '../measurement.ts';
import type { Verdict } from '../report.ts';
import type { Suite } from '../suite.ts';

const PUBLIC_URL = 'http://localhost:8080';

/** The shortener's API process on a database of its own, clicks to Kafka, links cached in Redis. */
export async function startShortener(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ChildServer> {
  return startServer('apps/shortener/dist/main.js', {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    MANAGEMENT_PORT: '0',
    PUBLIC_URL,
    LOG_LEVEL: 'warn',
    SCAN_DESTINATIONS: 'false',
    ANONYMOUS_CREATE: 'true',
    ...env,
  });
}

export async function createLink(
  server: ChildServer,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  const answer = await fetch(`${server.url}/shorten`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ longUrl: 'https://example.com/a/page', ...body }),
  });
  if (answer.status !== 201)
    throw new Error(`a link could not be created: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { code: string }).code;
}

/** A redirect from the cache beside redirects that look nothing up: one route in Fastify, none in node:http. */
export const redirect: Suite = {
  name: 'redirect',
  async run({ rounds, seconds, createDatabase, kafkaBrokers, redisUrl, say }) {
    const database = await createDatabase();
    const load = { connections: 64, expect: [301, 302] };
    const tracked = await startShortener(database, {
      KAFKA_BROKERS: kafkaBrokers.join(','),
      REDIS_URL: redisUrl,
    });
    try {
      const code = await createLink(tracked, {});
      const untracked = await createLink(tracked, { trackClicks: false });
      const shared = (): Promise<ChildServer> =>
        Promise.resolve({ ...tracked, stop: async () => undefined });
      const rows = await compare(
        [
          httpContender({
            name: 'gatepost, click recorded',
            role: 'ours',
            start: shared,
            load: { ...load, path: `/${code}` },
          }),
          httpContender({
            name: 'gatepost, not tracked',
            role: 'limit',
            start: shared,
            load: { ...load, path: `/${untracked}` },
          }),
          httpContender({
            name: 'bare Fastify 302',
            role: 'limit',
            start: peer('redirect-fastify.mjs'),
            load: { ...load, path: '/abcdefg' },
          }),
          httpContender({
            name: 'bare node:http 302',
            role: 'limit',
            start: peer('redirect-node.mjs'),
            load: { ...load, path: '/abcdefg' },
          }),
        ],
        { rounds, seconds, say },
      );
      const cpu = (name: string) =>
        rows.find((row) => row.name === name)?.cpuUsPerOperation ?? Number.NaN;
      const fastify = cpu('bare Fastify 302');
      const added = cpu('gatepost, click recorded') - cpu('gatepost, not tracked');
      return {
        name: 'redirect',
        title: 'A redirect from the cache',
        rows,
        verdicts: [
          shareVerdict('the redirect', fastify / cpu('gatepost, not tracked'), 0.8),
          shareVerdict('with its click', fastify / cpu('gatepost, click recorded'), 0.6),
          {
            promise: 'the click adds ≤ 5 µs',
            measured: `${added.toFixed(1)} µs`,
            holds: added <= 5,
          },
        ],
      };
    } finally {
      await tracked.stop();
    }
  },
};

function shareVerdict(what: string, share: number, least: number): Verdict {
  return {
    promise: `${what}: ≥ ${least} of a bare Fastify 302`,
    measured: share.toFixed(2),
    holds: share >= least,
  };
}
