import type { RegistrationOutcome } from '../accounts/accounts.service.ts';
import { describeWait } from '../accounts/attempts.ts';
import type { PasswordOutcome } from '../accounts/password-door.service.ts';
import type { FormFaults } from './views/form.ts';

/** How a form that failed is answered. */
export interface Explanation {
  readonly status: 422 | 429 | 503;
  readonly faults: FormFaults;
  readonly retryAfterSeconds?: number;
}

/** 422 for whatever the person can mend. Never 401: that promises a challenge, and a page has none. */
export function explainPassword(
  outcome: Exclude<PasswordOutcome, { kind: 'right' }>,
  wrongText: string,
): Explanation {
  switch (outcome.kind) {
    case 'wrong':
      return { status: 422, faults: { form: wrongText } };
    case 'disabled':
      return {
        status: 422,
        faults: { form: 'This account has been disabled. Ask whoever runs this service.' },
      };
    case 'refused':
      return tooMany(outcome.retryAfterSeconds);
    case 'busy':
      return busy(outcome.retryAfterSeconds);
  }
}

export function explainRegistration(
  outcome: Exclude<RegistrationOutcome, { kind: 'registered' }>,
): Explanation {
  switch (outcome.kind) {
    case 'invalid':
      return { status: 422, faults: { fields: outcome.faults } };
    case 'taken':
      return {
        status: 422,
        faults: {
          form: 'No account could be created with this email address. If it is yours, you may have one already: sign in instead.',
        },
      };
    case 'refused':
      return tooMany(outcome.retryAfterSeconds);
    case 'busy':
      return busy(outcome.retryAfterSeconds);
  }
}

function tooMany(retryAfterSeconds: number): Explanation {
  return { status: 429, retryAfterSeconds, faults: { form: describeWait(retryAfterSeconds) } };
}

function busy(retryAfterSeconds: number): Explanation {
  return {
    status: 503,
    retryAfterSeconds,
    faults: { form: 'Very many people are signing in right now. Try again in a moment.' },
  };
}
