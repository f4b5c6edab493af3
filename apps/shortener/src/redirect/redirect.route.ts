import { DomainError, sendProblem, toDomainError } from '@gatepost/problem-details';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isCode } from '../links/code.ts';
import type { CachedLink } from './cached-link.ts';
import type { LinkResolver, Resolution } from './link-resolver.ts';
import { sendPageInstead } from './page-reply.ts';
import { redirectHeadOf } from './redirect-head.ts';
import type { RedirectOutcome } from './redirect-metrics.ts';
import type { Visits } from './visits.ts';

type CodeRequest = FastifyRequest<{ Params: { code: string } }>;

/**
 * GET and HEAD /{code}: whatever the fast lane does not answer at once. A plain Fastify route, for there is nothing here for
 * guards, pipes and interceptors to do.
 */
export class RedirectRoute {
  constructor(
    private readonly resolver: LinkResolver,
    private readonly visits: Visits,
    private readonly outcomes: Record<RedirectOutcome, number>,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.get(
      '/:code',
      {
        exposeHeadRoute: true,
        errorHandler: (error, request, reply) => refuse(error, request, reply),
      },
      (request: CodeRequest, reply: FastifyReply) => this.redirect(request, reply),
    );
  }

  private redirect(
    request: CodeRequest,
    reply: FastifyReply,
  ): FastifyReply | Promise<FastifyReply> {
    const { code } = request.params;
    if (!isCode(code)) throw notFound();
    const now = Date.now();
    const resolution = this.resolver.resolve(code, now);
    return resolution instanceof Promise
      ? this.answerLater(resolution, request, reply, now)
      : this.answer(resolution, request, reply, now);
  }

  private async answerLater(
    resolution: Promise<Resolution>,
    request: CodeRequest,
    reply: FastifyReply,
    now: number,
  ): Promise<FastifyReply> {
    let resolved: Resolution;
    try {
      resolved = await resolution;
    } catch (error) {
      this.outcomes.unavailable += 1;
      throw error;
    }
    return this.answer(resolved, request, reply, now);
  }

  private answer(
    resolution: Resolution,
    request: CodeRequest,
    reply: FastifyReply,
    now: number,
  ): FastifyReply {
    switch (resolution.kind) {
      case 'link':
        this.outcomes.redirected += 1;
        sendRedirect(resolution.link, reply, now);
        this.visits.record(resolution.link, request.raw, now);
        return reply;
      case 'blocked':
        this.outcomes.blocked += 1;
        throw new DomainError('link-blocked', resolution.reason);
      case 'expired':
        this.outcomes.expired += 1;
        throw new DomainError(
          'link-expired',
          'The owner of this link set an end date, and it has passed.',
        );
      case 'missing':
        this.outcomes.missing += 1;
        throw notFound();
    }
  }
}

function sendRedirect(link: CachedLink, reply: FastifyReply, now: number): void {
  const { status, cacheControl } = redirectHeadOf(link, now);
  reply
    .code(status)
    .header('cache-control', cacheControl)
    .header('location', link.longUrl)
    .header('x-robots-tag', 'noindex')
    .send();
}

function notFound(): DomainError {
  return new DomainError('link-not-found', 'There is no link with this code.');
}

function refuse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toDomainError(thrown);
  if (!sendPageInstead(error, request, reply)) sendProblem(error, request, reply);
}
