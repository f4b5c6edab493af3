import 'reflect-metadata';
import { createApp, runService } from '@gatepost/service-kit';
import { AccessTokenVerifier, TokenGuardMetrics } from '@gatepost/token-guard';
import { composeApp } from './app.module.ts';
import { environment, tokenExpectations } from './env.ts';
import { verifyWithTokenGuard } from './identity/token-guard-verifier.ts';
import { shareMetrics } from './observing/worker-metrics.ts';
import { openLimiter } from './open-limiter.ts';
import { createDoor } from './public-door.ts';
import { superviseWorkers } from './workers.ts';

await runService({
  name: 'gateway-limiter',
  environment,
  supervise: ({ env, logger }) => superviseWorkers(env.WORKERS, logger),
  async build(parts) {
    const { env, logger, readiness } = parts;
    const handOver = shareMetrics(parts.metrics);
    const server = createDoor({
      maxHeaderBytes: env.MAX_HEADER_BYTES,
      headerTimeoutMs: env.HEADER_TIMEOUT_MS,
      requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
      keepAliveMs: env.KEEP_ALIVE_MS,
      tls: env.TLS_CERT && env.TLS_KEY ? { cert: env.TLS_CERT, key: env.TLS_KEY } : undefined,
    });
    const tokenMetrics = new TokenGuardMetrics(parts.metrics);
    const tokens = AccessTokenVerifier.create({
      ...tokenExpectations(env),
      observe: tokenMetrics.observe,
    });
    tokenMetrics.watch(tokens);
    const limiter = await openLimiter({
      ...parts,
      verifier: verifyWithTokenGuard(tokens, env.PUBLIC_URL),
    });
    const app = await createApp({
      module: composeApp({ ...parts, server, limit: limiter.limit }),
      logger,
      readiness,
      trustedProxies: env.TRUSTED_PROXIES,
      server,
    });
    return {
      app,
      close: async () => {
        await handOver();
        await limiter.close();
        tokens.close();
      },
    };
  },
});
