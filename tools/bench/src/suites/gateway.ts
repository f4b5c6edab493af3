import { execFileSync } from 'node:child_process';
import { type ChildServer, startServer } from '../child-server.ts';
import { httpContender, peer } from '../http-contender.ts';
import { type Contender, compare } from '../measurement.ts';
import { startNginx } from '../nginx.ts';
import type { Suite } from '../suite.ts';
import { ratioVerdict } from '../verdicts.ts';

/** Limits so high that nothing is refused: the cost of deciding is measured, not of refusing. */
export const KEY = 'bench-key-with-room-for-everything';

/** CPU per proxied request, three windows on Redis, one process, 64 connections. */
export const gateway: Suite = {
  name: 'gateway',
  async run({ rounds, seconds, redisUrl, say }) {
    const upstream = await startServer('upstream.mjs');
    try {
      const load = { connections: 64, headers: { 'x-api-key': KEY }, path: '/some/path' };
      const env = { UPSTREAM: upstream.url, REDIS_URL: redisUrl };
      const contenders: Contender[] = [
        httpContender({
          name: 'gatepost, 3 windows',
          role: 'ours',
          start: () => startGateway(upstream.url, redisUrl),
          load,
        }),
        httpContender({
          name: 'express assembly, 3 windows',
          role: 'peer',
          start: peer('gateway-express.mjs', env),
          load,
        }),
        httpContender({
          name: 'fastify assembly, 1 window',
          role: 'peer',
          start: peer('gateway-fastify.mjs', env),
          load,
        }),
        httpContender({
          name: 'node:http + undici, no limit',
          role: 'limit',
          start: peer('gateway-bare.mjs', env),
          load,
        }),
        ...(hasNginx()
          ? [
              httpContender({
                name: 'nginx, no limit',
                role: 'limit',
                start: () => startNginx(upstream.url),
                load,
              }),
            ]
          : []),
      ];
      const rows = await compare(contenders, { rounds, seconds, say });
      return {
        name: 'gateway',
        title: 'A request through the gateway',
        rows,
        verdicts: [
          ratioVerdict(rows, 'fastify assembly, 1 window', 0.7),
          ratioVerdict(rows, 'node:http + undici, no limit', 1.5),
          ...(hasNginx() ? [ratioVerdict(rows, 'nginx, no limit', 3.5)] : []),
        ],
        notes: hasNginx() ? [] : ['nginx is not installed here and was left out.'],
      };
    } finally {
      await upstream.stop();
    }
  },
};

export function startGateway(
  upstream: string,
  redisUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ChildServer> {
  return startServer('apps/gateway-limiter/dist/main.js', {
    PORT: '0',
    MANAGEMENT_PORT: '0',
    LOG_LEVEL: 'warn',
    AUTH_UPSTREAM: upstream,
    SHORTENER_UPSTREAM: upstream,
    REDIS_URL: redisUrl,
    LIMITS_FILE: new URL('../../peers/limits.yaml', import.meta.url).pathname,
    ...env,
  });
}

function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // named in the notes
  }
}
