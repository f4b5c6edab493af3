import { PROBLEM_MEDIA_TYPE, type ProblemCode, problemTypes } from '@gatepost/problem-details';
import { renderRefusal } from '../limiting/render-refusal.ts';
import { EXPOSED_FIELDS } from './answer-fields.ts';

/** An answer that the gateway gives itself. */
export interface OwnAnswer {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Further fields, e.g. Retry-After. */
  readonly fields?: readonly string[];
}

export interface OwnAnswerPlace {
  readonly target: string;
  readonly requestId: string;
  readonly rateFields: readonly string[];
  /** Was there an Origin? Then a script may want to read the answer. */
  readonly isCrossOrigin: boolean;
  /** Is this the last answer on its connection? */
  readonly isLast: boolean;
}

export interface RenderedAnswer {
  readonly status: number;
  readonly fields: string[];
  readonly body: string;
}

/** An error of the gateway's own as problem+json, readable by scripts of any origin: it holds nothing of a session. */
export function renderOwnAnswer(answer: OwnAnswer, place: OwnAnswerPlace): RenderedAnswer {
  const body = renderRefusal(answer, place);
  const fields = [
    'content-type',
    PROBLEM_MEDIA_TYPE,
    'content-length',
    String(Buffer.byteLength(body)),
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
    'x-request-id',
    place.requestId,
    ...place.rateFields,
    ...(answer.fields ?? []),
  ];
  if (place.isCrossOrigin)
    fields.push(
      'access-control-allow-origin',
      '*',
      'access-control-expose-headers',
      EXPOSED_FIELDS,
    );
  if (place.isLast) fields.push('connection', 'close');
  return { status: problemTypes[answer.code].status, fields, body };
}
