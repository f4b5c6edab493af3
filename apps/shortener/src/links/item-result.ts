import type { ItemResult } from '@gatepost/contracts';
import { DomainError, toProblem } from '@gatepost/problem-details';
import type { FastifyRequest } from 'fastify';
import type { Link } from './link.ts';
import type { LinkPresenter } from './link-presenter.ts';

interface ResultPlace {
  readonly presenter: LinkPresenter;
  readonly request: Pick<FastifyRequest, 'url' | 'id'>;
  readonly now: Date;
}

/** What became of one of many: what POST /shorten would have answered. Pointers are relative to the item. */
export function toItemResult(
  outcome: Link | DomainError,
  { presenter, request, now }: ResultPlace,
): ItemResult {
  if (!(outcome instanceof DomainError))
    return { status: 201, link: presenter.toBody(outcome, now) };
  const problem = toProblem(outcome, { target: request.url, requestId: request.id });
  return { status: problem.status, problem };
}
