import { toDomainError } from '@gatepost/problem-details';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeFailure } from './describe-failure.ts';
import { PageSender } from './page-sender.service.ts';
import { renderNotice } from './views/notice-page.ts';

/** Whatever goes wrong on a page is told on a page. */
@Catch()
export class PageFilter implements ExceptionFilter {
  constructor(private readonly pages: PageSender) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { status, title, text, retryAfterSeconds } = describeFailure(thrown);
    if (status >= 500)
      request.log.error({ err: toDomainError(thrown).cause ?? thrown }, 'a page failed');
    if (reply.sent) return;
    if (retryAfterSeconds) reply.header('retry-after', String(retryAfterSeconds));
    const facts = [{ term: 'Request', value: request.id }];
    const page = renderNotice({ title, text, facts, isFault: true });
    this.pages.send(reply, page, { forms: 'here', status });
  }
}
