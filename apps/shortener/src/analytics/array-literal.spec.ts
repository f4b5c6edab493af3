import { plainArray, textArray } from './array-literal.ts';

describe('array literals', () => {
  it('of numbers and codes need no quotes', () => {
    expect(plainArray([])).toBe('{}');
    expect(plainArray([1, 'AbC1234', 2n])).toBe('{1,AbC1234,2}');
  });

  it('of text keep it as it is', () => {
    expect(textArray(['a', '', null, 'NULL', 'x,y{}', 'a"b\\c'])).toBe(
      '{"a","",NULL,"NULL","x,y{}","a\\"b\\\\c"}',
    );
  });
});
