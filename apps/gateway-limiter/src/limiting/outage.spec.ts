import { afterFailure, afterSuccess, type Breaker, CLOSED_BREAKER } from './outage.ts';

const run = (outcomes: string, from: Breaker = CLOSED_BREAKER): Breaker =>
  [...outcomes].reduce(
    (breaker, outcome) => (outcome === '+' ? afterSuccess(breaker) : afterFailure(breaker)),
    from,
  );

describe('breaker', () => {
  it.each([
    ['four failures in a row leave it closed', '----', 'closed'],
    ['five failures in a row open it', '-----', 'open'],
    ['a success in between starts the row anew', '----+----', 'closed'],
    ['half of the last twenty is borne', '+-+-+-+-+-+-+-+-+-+-', 'closed'],
    ['more than half of the last twenty opens it', '+-+-+-+-+-+-+-+-+-+--', 'open'],
    ['few outcomes are no half', '-+--', 'closed'],
    [
      'failures older than twenty outcomes do not count',
      '----+----+++++++++++++++++++++----',
      'closed',
    ],
    ['one success does not close it', '-----+', 'open'],
    ['two successes close it', '-----++', 'closed'],
    ['a failure between the successes keeps it open', '-----+-+', 'open'],
    ['once closed again it starts with a clean record', '-----++----', 'closed'],
  ])('%s', (_title, outcomes, phase) => {
    expect(run(outcomes).phase).toBe(phase);
  });

  it('allocates nothing while all goes well', () => {
    const settled = run('+'.repeat(20));
    expect(afterSuccess(settled)).toBe(settled);
  });
});
