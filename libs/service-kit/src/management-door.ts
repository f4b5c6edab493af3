import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError, sendProblem } from '@gatepost/problem-details';
import fastify, { type FastifyInstance, type FastifyPluginAsync, LogController } from 'fastify';
import type { Logger } from './logger.ts';
import type { Registry } from './metrics.ts';
import type { Readiness } from './readiness.ts';

export interface ManagementDoorOptions {
  readonly token: string;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly readiness: Readiness;
}

/**
 * The door for probes, scrapers and operators, on a port of its own: `/livez`, `/readyz` and `/metrics` are open, all
 * else wants the management token. Rooms hang their administration routes in with `addRoutes`.
 */
export class ManagementDoor {
  private readonly server: FastifyInstance;

  constructor(private readonly options: ManagementDoorOptions) {
    this.server = fastify({
      loggerInstance: options.logger,
      logController: new LogController({ disableRequestLogging: true }),
      bodyLimit: 4 * 1024 * 1024,
    }) as unknown as FastifyInstance;
    this.server.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
    this.server.setNotFoundHandler((request, reply) =>
      sendProblem(
        new DomainError('not-found', 'There is nothing at this address.'),
        request,
        reply,
      ),
    );
    this.addOpenRoutes();
  }

  /** Adds routes that only the holder of the management token reaches. Before `listen`. */
  addRoutes(routes: FastifyPluginAsync): void {
    void this.server.register(async (guarded) => {
      const expected = digest(this.options.token);
      guarded.addHook('onRequest', async (request) => {
        const [, token] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
        // Digests have one length, so the comparison takes one time.
        if (!token || !timingSafeEqual(digest(token), expected)) {
          throw new DomainError(
            'management-token-refused',
            'Send the management token as a bearer.',
            { headers: { 'www-authenticate': 'Bearer realm="management"' } },
          );
        }
      });
      await guarded.register(routes);
    });
  }

  /** Listens and returns the port. */
  async listen(address: { host: string; port: number }): Promise<number> {
    await this.server.listen(address);
    return (this.server.server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  private addOpenRoutes(): void {
    const { metrics, readiness } = this.options;
    this.server.get('/livez', async () => ({ status: 'alive' }));
    this.server.get<{ Querystring: { verbose?: string } }>('/readyz', async (request, reply) => {
      reply.code(readiness.isReady ? 200 : 503);
      if (request.query.verbose !== undefined) return readiness.describe();
      return { status: readiness.isReady ? 'ready' : 'not ready' };
    });
    this.server.get('/metrics', async (_request, reply) =>
      reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
    );
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
