import { checkUniqueNames } from './unique-name.ts';

const wish = (destination: string, outcome: number, startMs = 0, endMs = 10) => ({
  call: { name: 'alias', destination },
  outcome,
  startMs,
  endMs,
});
const led = (destination: string | undefined, when = 'at the end') => ({
  name: 'alias',
  when,
  destination,
});

describe('the unique-name checker', () => {
  it('is content when one wish is acknowledged and the name leads there', () => {
    expect(checkUniqueNames([wish('a', 201), wish('b', 409)], [led('a'), led('a')])).toEqual([]);
  });

  it('lets a wish whose answer was lost have the name when nobody was told so', () => {
    expect(checkUniqueNames([wish('a', 0), wish('b', 409)], [led('a')])).toEqual([]);
    expect(checkUniqueNames([wish('a', 0)], [led(undefined)])).toEqual([]);
  });

  it('sees two acknowledged wishes', () => {
    expect(checkUniqueNames([wish('a', 201), wish('b', 201)], [led('b')])).toEqual([
      'alias was acknowledged 2 times',
    ]);
  });

  it('sees that an acknowledged create was lost', () => {
    expect(checkUniqueNames([wish('a', 201), wish('b', 409)], [led(undefined)])).toEqual([
      'alias led nowhere at the end',
    ]);
  });

  it('sees the name of another, though that one’s answer was lost', () => {
    expect(checkUniqueNames([wish('a', 201), wish('b', 0)], [led('b')])).toEqual([
      'alias led to b at the end, which was not acknowledged',
    ]);
  });

  it('sees a name that is taken by nobody', () => {
    expect(checkUniqueNames([wish('a', 409), wish('b', 0, 20, 30)], [led('b')])).toEqual([
      'alias was called taken before anybody could have had it',
    ]);
    expect(checkUniqueNames([wish('a', 409), wish('b', 409)], [led(undefined)])).toContain(
      'alias led nowhere at the end',
    );
  });

  it('sees a name that changes hands', () => {
    expect(
      checkUniqueNames([wish('a', 0), wish('b', 0)], [led('a', 'before'), led('b', 'after')]),
    ).toEqual(['alias did not stay what it was']);
  });

  it('sees answers that are none of these, and names that nobody looked at', () => {
    expect(checkUniqueNames([wish('a', 500)], [])).toEqual([
      'alias was answered 500',
      'nobody looked where alias leads',
    ]);
    expect(checkUniqueNames([], [])).toEqual(['no name was asked for']);
  });
});
