export { DomainError, type DomainErrorOptions } from './domain-error.ts';
export { type AnswerInstead, ProblemFilter, sendProblem } from './problem.filter.ts';
export { PROBLEM_MEDIA_TYPE, type ProblemPlace, toDomainError, toProblem } from './problem.ts';
export {
  type ProblemCode,
  type ProblemType,
  problemTypes,
  problemTypeUri,
} from './problem-types.ts';
