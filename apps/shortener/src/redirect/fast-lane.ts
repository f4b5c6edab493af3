import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Readiness } from '@gatepost/service-kit';
import type { LinkResolver } from './link-resolver.ts';
import { redirectHeadOf } from './redirect-head.ts';
import type { RedirectOutcome } from './redirect-metrics.ts';
import type { Visits } from './visits.ts';

/** `/` and a code, nothing behind it. */
const CODE_PATH = /^\/([0-9A-Za-z]{6,8})$/;

/**
 * Answers redirects that are in process before Fastify sees them: a third of the CPU time of such an answer went into
 * routing, hooks and reply objects that it needs nothing of. Whatever is not that simple goes to the app, whose route
 * (RedirectRoute) answers the same.
 */
export class FastLane {
  constructor(
    private readonly resolver: LinkResolver,
    private readonly visits: Visits,
    private readonly outcomes: Record<RedirectOutcome, number>,
    private readonly readiness: Readiness,
  ) {}

  /** Takes the place of the app's own listener, which is called for what is left. */
  install(server: Server): void {
    const [toApp, ...others] = server.listeners('request') as RequestListener[];
    if (!toApp || others.length > 0) throw new Error('the server has not exactly one listener');
    server.removeListener('request', toApp);
    server.on('request', (request, response) => {
      if (!this.answer(request, response)) toApp.call(server, request, response);
    });
  }

  private answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const code = CODE_PATH.exec(request.url ?? '')?.[1];
    if (code === undefined || this.readiness.isDraining) return false;
    const now = Date.now();
    const link = this.resolver.peek(code, now);
    if (!link) return false;
    const { status, cacheControl } = redirectHeadOf(link, now);
    response.writeHead(status, [
      'cache-control',
      cacheControl,
      'location',
      link.longUrl,
      'x-robots-tag',
      'noindex',
      'content-length',
      '0',
    ]);
    response.end();
    this.outcomes.redirected += 1;
    this.visits.record(link, request, now);
    return true;
  }
}
