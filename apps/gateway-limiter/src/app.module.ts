import type { Server } from 'node:http';
import type { ServiceParts } from '@gatepost/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { openDefinition } from './definition-file.ts';
import type { GatewayEnv } from './env.ts';
import type { Exchange } from './forwarding/exchange.ts';
import { defaultRouting, parseRouting } from './forwarding/routes.ts';
import { Tunnels } from './forwarding/tunnels.plugin.ts';
import { Upstreams } from './forwarding/upstreams.service.ts';
import { GatewayShutdown } from './gateway-shutdown.ts';
import { readTrustedProxies } from './identity/trusted-proxies.ts';
import type { LimitRequest } from './limiting/limit-verdict.ts';
import { AccessLog } from './observing/access-log.ts';
import { RequestMetrics } from './observing/request-metrics.ts';
import { Pipeline } from './pipeline.plugin.ts';

export interface GatewayParts extends ServiceParts<GatewayEnv> {
  readonly server: Server;
  readonly limit: LimitRequest;
}

const ROUTES_POLL_MS = 1_000;

@Module({})
class AppModule {}

/** The composition root: the only file that knows every room. */
export function composeApp(parts: GatewayParts): DynamicModule {
  const { env, logger, metrics, readiness, server } = parts;
  const file = openDefinition(env.ROUTES_FILE, parseRouting);
  const routing =
    file?.definition ??
    defaultRouting({ authServer: env.AUTH_UPSTREAM, shortener: env.SHORTENER_UPSTREAM });
  const tunnels = new Tunnels(env.TUNNEL_IDLE_MS);
  const requestMetrics: RequestMetrics = new RequestMetrics(metrics, {
    inFlight: () => pipeline.inFlight,
    tunnels: () => tunnels.count,
    pools: () => upstreams.allPools,
  });
  const upstreams = new Upstreams(routing, {
    peerEjected(pool, peer) {
      logger.warn({ pool, peer }, 'peer put aside after failures in a row');
      requestMetrics.peerEjected(pool, peer);
    },
    peerProbed(pool, peer, isAlive) {
      logger.warn({ pool, peer, isAlive }, isAlive ? 'peer is back' : 'peer fails its probes');
    },
  });
  file?.watch(ROUTES_POLL_MS, {
    changed(changed) {
      upstreams.apply(changed);
      logger.info({ routes: changed.routes.length }, 'routes changed');
    },
    refused({ faults }) {
      logger.error({ faults }, 'routes file refused, the former routes stay in force');
    },
  });
  const accessLog = new AccessLog(logger, env.ACCESS_LOG_PER_SECOND);
  const pipeline = new Pipeline({
    limit: parts.limit,
    trustedProxies: readTrustedProxies(env.TRUSTED_PROXIES),
    upstreams,
    tunnels,
    observe(exchange: Exchange) {
      const now = performance.now();
      requestMetrics.observe(exchange, now);
      accessLog.write(exchange, now);
    },
    observeUnparsed: (status) => requestMetrics.observeUnparsed(status),
    tracing: parts.tracing,
    isDraining: () => readiness.isDraining,
    logger,
    options: { maxBodyBytes: env.MAX_BODY_BYTES, bodyIdleMs: env.BODY_IDLE_MS },
  });
  pipeline.attach(server);
  const shutdown = new GatewayShutdown(server, pipeline, tunnels, {
    // Before service-kit cuts everything off.
    limitMs: Math.max(0, env.SHUTDOWN_TIMEOUT_MS - 2_000),
    close: async () => {
      file?.stop();
      await upstreams.close();
    },
  });
  return { module: AppModule, providers: [{ provide: GatewayShutdown, useValue: shutdown }] };
}
