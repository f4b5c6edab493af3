import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TracedWork, Tracing } from './tracing.ts';

const WORK = Symbol('traced work');

/**
 * Makes each request a span of the caller's trace. What the request calls in turn finds the span's own context in
 * `request.headers.traceparent`. Adds nothing to a request while tracing is off.
 */
export function traceRequests(fastify: FastifyInstance, tracing: Tracing): void {
  if (!tracing.isOn) return;
  fastify.addHook('onRequest', async (request: FastifyRequest & { [WORK]?: TracedWork }) => {
    const parent = request.headers['traceparent'];
    const work = tracing.begin(
      'server',
      `${request.method} ${request.routeOptions.url ?? 'unrouted'}`,
      typeof parent === 'string' ? parent : undefined,
      {
        'http.request.method': request.method,
        'http.route': request.routeOptions.url ?? '',
      },
    );
    request[WORK] = work;
    request.headers['traceparent'] = work.traceparent;
  });
  fastify.addHook(
    'onResponse',
    async (request: FastifyRequest & { [WORK]?: TracedWork }, reply) => {
      request[WORK]?.end({ status: reply.statusCode });
    },
  );
}
