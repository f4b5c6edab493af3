import type { FastifyInstance } from 'fastify';
import { homePage, PAGE_HEADERS } from '../redirect/pages.ts';
import { openApiDocument } from './openapi-document.ts';

/** What the service says about itself: a page for people, the description of the interface for programs. */
export function registerPublicRoutes(fastify: FastifyInstance, publicUrl: string): void {
  const page = homePage(publicUrl);
  const document = JSON.stringify(openApiDocument(publicUrl));
  fastify.get('/', (_request, reply) =>
    reply.headers({ ...PAGE_HEADERS, 'cache-control': 'public, max-age=300' }).send(page),
  );
  fastify.get('/openapi.json', (_request, reply) =>
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      // Documentation pages elsewhere may read it.
      .header('access-control-allow-origin', '*')
      .send(document),
  );
}
