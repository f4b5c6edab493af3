import type { Server } from 'node:http';
import { type AnswerInstead, ProblemFilter, sendProblem } from '@gatepost/problem-details';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type Logger, toNestLogger } from './logger.ts';
import type { Readiness } from './readiness.ts';
import { requestIdOf } from './request-id.ts';
import { createRequestLogger } from './request-logger.ts';
import { traceRequests } from './request-trace.ts';
import type { Tracing } from './tracing.ts';

export interface AppOptions {
  readonly module: Type | DynamicModule;
  readonly logger: Logger;
  readonly readiness: Readiness;
  /** Peers whose X-Forwarded-* are believed: addresses and CIDR blocks. A number would trust nobody since Fastify 5.12.1. */
  readonly trustedProxies: readonly string[];
  readonly tracing?: Tracing;
  readonly bodyLimit?: number;
  readonly answerInstead?: AnswerInstead;
  /** A server that is there already and answers its requests itself: the gateway's. Limits and time limits are its own. */
  readonly server?: Server;
  /** Routes and hooks that need Fastify itself, registered before Nest's. */
  readonly prepare?: (
    fastify: FastifyInstance,
    app: NestFastifyApplication,
  ) => void | Promise<void>;
}

/** A Nest application on Fastify with the platform's habits: one error filter, request ids, drain-aware connections. */
export async function createApp(options: AppOptions): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    loggerInstance: options.logger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    genReqId: requestIdOf,
    childLoggerFactory: createRequestLogger,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: options.bodyLimit ?? 64 * 1024,
    forceCloseConnections: 'idle',
    // What still comes on an open connection is answered like any other request: the stores close after the server.
    return503OnClosing: false,
    // Longer than the gateway keeps idle upstream sockets, or it would now and then write to one that just closed.
    keepAliveTimeout: 72_000,
    requestTimeout: 30_000,
    ...(options.server ? servedBy(options.server) : {}),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(error, request, reply),
  } as unknown as ConstructorParameters<typeof FastifyAdapter>[0]);
  const app = await NestFactory.create<NestFastifyApplication>(options.module, adapter, {
    logger: toNestLogger(options.logger),
    bufferLogs: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ProblemFilter(options.answerInstead));
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  if (options.tracing) traceRequests(fastify, options.tracing);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // A client that keeps its connection would hold the drain open: tell it to let go.
    if (options.readiness.isDraining) reply.header('connection', 'close');
    done();
  });
  await options.prepare?.(fastify, app);
  return app;
}

/** Fastify listens, drains and closes with a server that it did not make; errors of its parser are the server's affair. */
function servedBy(server: Server) {
  return { serverFactory: () => server, clientErrorHandler: () => undefined };
}
