import { isUnreachable } from '@gatepost/postgres';
import { type DomainError, problemTypes, toDomainError } from '@gatepost/problem-details';
import { FormRefused, InteractionGone } from './page-errors.ts';

/** What went wrong on a page, for whoever is looking at it; internals are in the log. */
export interface Failure {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

export function describeFailure(thrown: unknown): Failure {
  if (thrown instanceof InteractionGone)
    return {
      status: 400,
      title: 'This sign-in has expired',
      text: 'It was finished, took too long, or was begun in another browser. Go back to the application and start again.',
    };
  if (thrown instanceof FormRefused)
    return {
      status: 400,
      title: 'Please try that again',
      text: 'The page you sent had grown old or did not come from here, so nothing was done. Go back, load it again and repeat what you did.',
    };
  if (isUnreachable(thrown))
    return {
      status: 503,
      title: 'We are having trouble',
      text: 'We cannot reach our database right now. Try again in a moment.',
      retryAfterSeconds: 5,
    };
  return describeProblem(toDomainError(thrown));
}

function describeProblem(error: DomainError): Failure {
  const { status } = problemTypes[error.code];
  if (status === 404)
    return {
      status,
      title: 'There is nothing here',
      text: 'The address is wrong, or what was here is gone.',
    };
  if (status < 500) return { status, title: 'This did not work', text: error.message };
  if (error.code === 'service-unavailable')
    return {
      status,
      title: 'Very busy right now',
      text: 'Nothing was done. Try again in a moment.',
      retryAfterSeconds: Number(error.headers['retry-after'] ?? 5),
    };
  return {
    status,
    title: 'We are having trouble',
    text: 'Something failed on our side. It has been noted. Try again in a moment.',
  };
}
