import { type Clicks, checkCounts } from './counts.ts';

const check = (links: Record<string, [number, number, number]>, mayLose?: number) =>
  checkCounts(
    new Map(
      Object.entries(links).map(([code, [acknowledged, uncertain, counted]]): [string, Clicks] => [
        code,
        { acknowledged, uncertain, counted },
      ]),
    ),
    mayLose,
  );

describe('the counts checker', () => {
  it('is content when all is counted once', () => {
    expect(check({ a: [10, 0, 10], b: [5, 0, 5] })).toEqual([]);
  });

  it('lets a click whose answer was lost count or not', () => {
    expect(check({ a: [10, 1, 10] })).toEqual([]);
    expect(check({ a: [10, 1, 11] })).toEqual([]);
  });

  it('sees a lost click, though another link has one too many', () => {
    expect(check({ a: [10, 0, 9], b: [5, 0, 6] })).toEqual([
      '1 acknowledged clicks are not counted',
      'b has 1 clicks too many',
    ]);
  });

  it('sees a click that is counted twice', () => {
    expect(check({ a: [10, 1, 12] })).toEqual(['a has 1 clicks too many']);
  });

  it('grants a loss that is known, and no more', () => {
    expect(check({ a: [10, 0, 8] }, 2)).toEqual([]);
    expect(check({ a: [10, 0, 7] }, 2)).toEqual(['3 acknowledged clicks are not counted']);
  });

  it('does not take silence for exactness', () => {
    expect(check({ a: [0, 0, 0] })).toEqual(['nothing was clicked']);
  });
});
