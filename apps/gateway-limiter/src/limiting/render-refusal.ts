import { type ProblemPlace, problemTypes, problemTypeUri } from '@gatepost/problem-details';
import type { RefusalProblem } from './limit-verdict.ts';

/** The problem+json text of a refusal. No Error object is made: a flood of refusals must stay cheap. */
export function renderRefusal(problem: RefusalProblem, place: ProblemPlace): string {
  const { status, title } = problemTypes[problem.code];
  const query = place.target.indexOf('?');
  return JSON.stringify({
    type: problemTypeUri(problem.code),
    title,
    status,
    detail: problem.detail,
    instance: query < 0 ? place.target : place.target.slice(0, query),
    requestId: place.requestId,
    ...problem.extensions,
  });
}
