import { isSafeToRetry, RetryBudget } from './retry.ts';

describe('a second attempt', () => {
  it.each([
    ['a GET that was sent', 'GET', false, true, true],
    ['a DELETE that was sent', 'DELETE', false, true, true],
    ['a POST that was sent', 'POST', false, true, false],
    ['a PATCH that was sent', 'PATCH', false, true, false],
    ['a POST without a body that was never sent', 'POST', false, false, true],
    ['a PUT with a body', 'PUT', true, true, false],
    ['a POST with a body that was never sent', 'POST', true, false, true],
    ['a POST with a body that was sent', 'POST', true, true, false],
  ])('of %s', (_what, method, hasBody, wasSent, isSafe) => {
    expect(isSafeToRetry({ method, hasBody, wasSent })).toBe(isSafe);
  });

  it('is paid for by ten first ones', () => {
    const budget = new RetryBudget(0.1, 2);
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    for (let count = 0; count < 9; count++) budget.recordRequest();
    expect(budget.take()).toBe(false);
    budget.recordRequest();
    expect(budget.take()).toBe(true);
  });
});
