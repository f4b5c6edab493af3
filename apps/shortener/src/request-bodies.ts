import { DomainError } from '@gatepost/problem-details';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

const LARGE_BODY_BYTES = 4 * 1024 * 1024;

/** Routes that take many links at once. */
const LARGE = new Set(['/links/bulk', '/links/import']);
const CSV = new Set(['/links/import']);

/**
 * What bodies a route takes: JSON, and CSV where that is imported; 4 MiB where many links come at once, the app's limit
 * elsewhere. Anything else is 415, forms too: a page of somebody else can make a browser send a form, but not JSON.
 */
export function restrictBodies(fastify: FastifyInstance): void {
  fastify.removeContentTypeParser('text/plain');
  fastify.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  fastify.addHook('onRoute', (route) => {
    if (!takesBody(route)) return;
    if (LARGE.has(route.url)) route.bodyLimit = LARGE_BODY_BYTES;
    const accepted = CSV.has(route.url) ? ['application/json', 'text/csv'] : ['application/json'];
    route.onRequest = [
      ...[route.onRequest ?? []].flat(),
      async (request: FastifyRequest) => refuseOtherMedia(request, accepted),
    ];
    route.onSend = [...[route.onSend ?? []].flat(), letSenderFinish];
  });
}

/**
 * Fastify closes the connection with a 413. Closing on data that nobody has read resets it, and a client that is still
 * writing then never sees the answer. Node throws the rest of the body away by itself, within the request's time limit.
 */
async function letSenderFinish(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (reply.statusCode === 413) reply.removeHeader('connection');
}

function takesBody({ method }: RouteOptions): boolean {
  return [method].flat().some((name) => name === 'POST' || name === 'PATCH');
}

function refuseOtherMedia(request: FastifyRequest, accepted: readonly string[]): void {
  const field = request.headers['content-type'];
  if (field === undefined) return;
  const mediaType = field.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!accepted.includes(mediaType))
    throw new DomainError('media-type-unsupported', `Send the body as ${accepted.join(' or ')}.`);
}
