import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DomainError } from './domain-error.ts';
import { PROBLEM_MEDIA_TYPE, toDomainError, toProblem } from './problem.ts';

/** Answers some errors in another way than problem+json, e.g. with a page for a person; true when it has answered. */
export type AnswerInstead = (
  error: DomainError,
  request: FastifyRequest,
  reply: FastifyReply,
) => boolean;

/** Sends an error as problem+json and logs what the caller must not see. */
export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toDomainError(thrown);
  const problem = toProblem(error, { target: request.url, requestId: request.id });
  if (problem.status >= 500) request.log.error({ err: error.cause ?? error }, error.message);
  if (reply.sent) return;
  void reply
    .code(problem.status)
    .headers({ 'cache-control': 'no-store', ...error.headers })
    .header('content-type', PROBLEM_MEDIA_TYPE)
    // A buffer, for Fastify adds a charset to a string, and RFC 9457 defines none.
    .send(Buffer.from(JSON.stringify(problem)));
}

/** The one filter: every error of an app leaves through it. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly answerInstead: AnswerInstead = () => false) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (this.answerInstead(toDomainError(thrown), request, reply)) return;
    sendProblem(thrown, request, reply);
  }
}
