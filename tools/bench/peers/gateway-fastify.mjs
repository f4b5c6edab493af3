// The usual assembly on Fastify: @fastify/rate-limit on Redis (it knows one window), @fastify/http-proxy.
import proxy from '@fastify/http-proxy';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import Redis from 'ioredis';

const app = fastify({ logger: false });
await app.register(rateLimit, {
  max: 100_000_000,
  timeWindow: 60_000,
  redis: new Redis(process.env.REDIS_URL, { connectTimeout: 500, maxRetriesPerRequest: 1 }),
  nameSpace: 'bench:fastify:',
  keyGenerator: (request) => request.headers['x-api-key'] ?? 'none',
});
await app.register(proxy, {
  upstream: process.env.UPSTREAM,
  undici: { connections: 256, pipelining: 1 },
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ type: 'ready', port: app.server.address().port });
process.on('disconnect', () => process.exit(0));
