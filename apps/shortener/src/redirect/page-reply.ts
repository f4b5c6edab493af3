import type { AnswerInstead, DomainError, ProblemCode } from '@gatepost/problem-details';
import { problemTypes } from '@gatepost/problem-details';
import type { FastifyRequest } from 'fastify';
import { blockedPage, expiredPage, notFoundPage, PAGE_HEADERS, unavailablePage } from './pages.ts';

const pageOf: Partial<Record<ProblemCode, (error: DomainError, requestId: string) => string>> = {
  'not-found': (_error, requestId) => notFoundPage(requestId),
  'link-not-found': (_error, requestId) => notFoundPage(requestId),
  'link-expired': (_error, requestId) => expiredPage(requestId),
  'link-blocked': (error, requestId) => blockedPage(error.message, requestId),
  'store-unavailable': (_error, requestId) => unavailablePage(requestId),
};

/** Whether the caller is a browser that shows a page: it names text/html, which API clients do not. */
export function wantsPage(request: FastifyRequest): boolean {
  return /\btext\/html\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(request.headers.accept ?? '');
}

/** A person who follows a dead link gets a page; a program gets a problem. */
export const sendPageInstead: AnswerInstead = (error, request, reply) => {
  const toPage = pageOf[error.code];
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!toPage || !isRead || !wantsPage(request)) return false;
  const { status } = problemTypes[error.code];
  if (status >= 500) request.log.error({ err: error.cause ?? error }, error.message);
  void reply
    .code(status)
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store', vary: 'accept', ...error.headers })
    .send(toPage(error, request.id));
  return true;
};
