import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { collectStartGarbage } from './collect-start-garbage.ts';
import { drainOnce, exit } from './drain.ts';
import { hearEndRequests } from './end-request.ts';
import { type Environment, EnvironmentRefused } from './environment.ts';
import { holdTickShape } from './hold-tick-shape.ts';
import { listening, StartRefused } from './listening.ts';
import { createLogger, type Logger } from './logger.ts';
import { ManagementDoor } from './management-door.ts';
import { createMetrics, type Registry } from './metrics.ts';
import { Readiness } from './readiness.ts';
import type { ServiceEnv } from './service-environment.ts';
import { startTracing, type Tracing } from './tracing.ts';

/** What every room of a service may be given. */
export interface ServiceParts<E extends ServiceEnv> {
  readonly env: E;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly readiness: Readiness;
  readonly management: ManagementDoor;
  readonly tracing: Tracing;
}

export interface Service<E extends ServiceEnv> {
  readonly name: string;
  readonly environment: Environment<E>;
  /** True when this process only watches over others that do the work; it then ends here. */
  supervise?(parts: Pick<ServiceParts<E>, 'env' | 'logger'>): boolean;
  /**
   * Builds the app, migrations and connections included; `close` is called after the app has closed. A worker has no
   * app: it listens on the management door alone.
   */
  build(
    parts: ServiceParts<E>,
  ): Promise<{ app?: NestFastifyApplication; close?: () => Promise<void> }>;
}

/**
 * env → app → listen → signals. Ends with exit code 78 on a refused environment, 1 on a failed start, 0 after a drain.
 * With an IPC channel (a supervisor) it reports `{ type: 'ready', … }` and drains when the supervisor disappears.
 */
export async function runService<E extends ServiceEnv>(service: Service<E>): Promise<void> {
  const env = readEnvironment(service);
  const logger = createLogger({ name: service.name, level: env.LOG_LEVEL });
  if (service.supervise?.({ env, logger })) return;
  const ends = hearEndRequests();
  const readiness = new Readiness();
  const metrics = createMetrics(service.name);
  const management = new ManagementDoor({
    token: env.MANAGEMENT_TOKEN,
    logger,
    metrics,
    readiness,
  });
  let built: Awaited<ReturnType<typeof service.build>> | undefined;
  try {
    const tracing = await startTracing({
      service: service.name,
      endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
      sampleRatio: env.OTEL_TRACES_SAMPLER_ARG,
    });
    built = await service.build({ env, logger, metrics, readiness, management, tracing });
    const { app, close } = built;
    const stop = drainOnce({
      delayMs: env.DRAIN_DELAY_MS,
      timeoutMs: env.SHUTDOWN_TIMEOUT_MS,
      logger,
      readiness,
      management,
      tracing,
      app,
      close,
    });
    await holdTickShape();
    collectStartGarbage();
    const managementPort = await listening('MANAGEMENT_PORT', env.MANAGEMENT_PORT, () =>
      management.listen({ host: env.MANAGEMENT_HOST, port: env.MANAGEMENT_PORT }),
    );
    if (app) await listening('PORT', env.PORT, () => app.listen(env.PORT, env.HOST));
    readiness.markReady();
    const address = app?.getHttpServer().address() as { port: number } | undefined;
    const port = address?.port;
    logger.info({ port, managementPort, upMs: Math.round(performance.now()) }, 'listening');
    if (process.connected)
      process.send?.({ type: 'ready', service: service.name, port, managementPort });
    ends.act((reason) => void stop(reason));
  } catch (error) {
    // Nothing half-started is left running: an embedded database, for one, stops when its last user leaves.
    await built?.app?.close().catch(() => undefined);
    await built?.close?.().catch(() => undefined);
    if (error instanceof StartRefused) process.stderr.write(`${error.message}\n`);
    else logger.fatal({ err: error }, 'start failed');
    exit(logger, 1);
  }
}

function readEnvironment<E extends ServiceEnv>(service: Service<E>): E {
  try {
    const env = service.environment.parse(process.env);
    if (process.argv.includes('--print-config')) {
      process.stdout.write(`${JSON.stringify(service.environment.toPrintable(env), null, 2)}\n`);
      process.exit(0);
    }
    return env;
  } catch (error) {
    if (!(error instanceof EnvironmentRefused)) throw error;
    process.stderr.write(
      `${service.name} cannot start, its environment is refused:\n${error.message.replace(/^/gm, '  ')}\n`,
    );
    process.exit(error.exitCode);
  }
}
