// The usual assembly: express, express-rate-limit on Redis with three windows, http-proxy-middleware.

import { Agent } from 'node:http';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { createProxyMiddleware } from 'http-proxy-middleware';
import Redis from 'ioredis';
import { RedisStore } from 'rate-limit-redis';

const redis = new Redis(process.env.REDIS_URL);
const app = express();
const windows = [
  ['second', 1_000, 10_000_000],
  ['minute', 60_000, 100_000_000],
  ['day', 86_400_000, 1_000_000_000],
];
for (const [name, windowMs, limit] of windows) {
  app.use(
    rateLimit({
      windowMs,
      limit,
      standardHeaders: false,
      legacyHeaders: true,
      keyGenerator: (request) => request.headers['x-api-key'] ?? 'none',
      store: new RedisStore({
        prefix: `bench:express:${name}:`,
        sendCommand: (...command) => redis.call(...command),
      }),
    }),
  );
}
app.use(
  createProxyMiddleware({
    target: process.env.UPSTREAM,
    agent: new Agent({ keepAlive: true, maxSockets: 256 }),
    xfwd: true,
  }),
);
const server = app.listen(0, '127.0.0.1', () =>
  process.send?.({ type: 'ready', port: server.address().port }),
);
process.on('disconnect', () => process.exit(0));
