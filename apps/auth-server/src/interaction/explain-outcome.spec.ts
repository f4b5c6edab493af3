import { explainPassword, explainRegistration } from './explain-outcome.ts';

describe('the answer to a form that failed', () => {
  it('is 429 with the seconds to wait after too many attempts', () => {
    const refused = { kind: 'refused', retryAfterSeconds: 20 } as const;
    const expected = {
      status: 429,
      retryAfterSeconds: 20,
      faults: { form: 'Too many attempts, try again in 20 s' },
    };
    expect(explainPassword(refused, 'wrong')).toEqual(expected);
    expect(explainRegistration(refused)).toEqual(expected);
  });

  it('is 422 with what the person can mend', () => {
    expect(explainPassword({ kind: 'wrong' }, 'wrong')).toEqual({
      status: 422,
      faults: { form: 'wrong' },
    });
    expect(explainRegistration({ kind: 'invalid', faults: { email: 'no' } })).toEqual({
      status: 422,
      faults: { fields: { email: 'no' } },
    });
    expect(explainRegistration({ kind: 'taken' }).status).toBe(422);
    expect(explainPassword({ kind: 'disabled' }, 'wrong').status).toBe(422);
  });

  it('is 503 when too many are signing in', () => {
    const busy = { kind: 'busy', retryAfterSeconds: 2 } as const;
    expect(explainPassword(busy, 'wrong')).toMatchObject({ status: 503, retryAfterSeconds: 2 });
    expect(explainRegistration(busy).status).toBe(503);
  });
});
