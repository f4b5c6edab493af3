import { checkSingleUse } from './single-use.ts';

const uses = (...pairs: [string, number][]) =>
  pairs.map(([call, outcome]) => ({ call, outcome, startMs: 0, endMs: 1 }));
const check = (...pairs: [string, number][]) =>
  checkSingleUse(uses(...pairs), { success: 200, refusal: 400 });

describe('the single-use checker', () => {
  it('is content when each secret works once', () => {
    expect(check(['a', 400], ['a', 200], ['a', 400], ['b', 200])).toEqual([]);
  });

  it('sees a secret that works twice, though another works once', () => {
    expect(check(['a', 200], ['b', 200], ['a', 200])).toEqual(['a worked 2 times in 2']);
  });

  it('sees a secret that never works', () => {
    expect(check(['a', 400], ['a', 400])).toEqual(['a worked 0 times in 2']);
  });

  it('sees a refusal that is a failure of the server, and a use without an answer', () => {
    expect(check(['a', 200], ['a', 500], ['a', 0])).toEqual(['a was answered 500, 0']);
  });

  it('does not take an empty history for a good one', () => {
    expect(check()).toEqual(['nothing was used']);
  });
});
