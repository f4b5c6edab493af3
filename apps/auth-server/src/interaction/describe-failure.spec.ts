import { DomainError } from '@gatepost/problem-details';
import { TooBusy } from '../accounts/bounded-work.ts';
import { describeFailure } from './describe-failure.ts';
import { FormRefused, InteractionGone } from './page-errors.ts';

describe('a failure on a page', () => {
  it.each([
    [new InteractionGone(), 400, /expired/],
    [new FormRefused(), 400, /try that again/],
    [new DomainError('not-found', 'x'), 404, /nothing here/],
    [Object.assign(new Error('x'), { statusCode: 413 }), 413, /did not work/],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 503, /trouble/],
    [new TooBusy(), 503, /busy/],
    [new Error('secret of the inside'), 500, /trouble/],
    ['a string', 500, /trouble/],
  ])('%s is %d', (thrown, status, title) => {
    const failure = describeFailure(thrown);
    expect(failure.status).toBe(status);
    expect(failure.title).toMatch(title);
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('says when to come back while the database is away', () => {
    const away = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    expect(describeFailure(away).retryAfterSeconds).toBe(5);
  });
});
