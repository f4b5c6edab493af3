import { randomBytes } from 'node:crypto';
import { aliasFault, codeLengthAt, generateCode, isCode } from './code.ts';
import { containsOffensiveWord } from './offensive-words.ts';

describe('generateCode', () => {
  it('draws Base62 codes of the length asked for', () => {
    for (const length of [6, 7, 8]) expect(generateCode(length)).toMatch(/^[0-9A-Za-z]+$/);
    expect(generateCode(7)).toHaveLength(7);
  });

  it('gives every character the same chance', () => {
    const counts = new Map<string, number>();
    const codes = 60_000;
    for (let round = 0; round < codes; round++)
      for (const character of generateCode(7))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    const expected = (codes * 7) / 62;
    const chiSquare = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0,
    );
    // 61 degrees of freedom: above 150 once in 1e8 runs for an unbiased source. Taking bytes modulo 62 gives > 3,000; the
    // avoided words, vowels and digits mostly, account for some 300.
    expect(chiSquare).toBeLessThan(1_000);
  });

  it('throws the two values of 64 without a character away instead of folding them', () => {
    const drawn = [62, 63, 0, 62, 1, 63, 2, 3, 4, 5, 6, 7];
    const random = (size: number) => Uint8Array.from(drawn.splice(0, size));
    expect(generateCode(7, random)).toBe('0123456');
  });

  it('draws again when the code is reserved', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const bytesOf = (word: string) => [...word].map((letter) => letters.indexOf(letter) + 10);
    const pad = [63, 63, 63, 63];
    const drawn = [...bytesOf('Shorten'), ...pad, ...bytesOf('QxQxQxQ'), ...pad];
    const random = (size: number) => Uint8Array.from(drawn.splice(0, size));
    expect(generateCode(7, random)).toBe('QxQxQxQ');
  });

  it('draws nothing that reads like an insult, with digits for letters neither', () => {
    for (const code of ['xFuCkxx', 'xxsh1tx', 'N4z1xxx', 'Sexxxxx', 'xx5LUTx'])
      expect([code, containsOffensiveWord(code)]).toEqual([code, true]);
    for (let round = 0; round < 20_000; round++)
      expect(containsOffensiveWord(generateCode(7))).toBe(false);
  });

  it('throws few codes away for that', () => {
    let avoided = 0;
    for (let round = 0; round < 50_000; round++) {
      const code = randomBytes(8).toString('base64url').replace(/[-_]/g, 'x').slice(0, 7);
      if (containsOffensiveWord(code)) avoided += 1;
    }
    expect(avoided / 50_000).toBeLessThan(0.02);
  });
});

describe('codeLengthAt', () => {
  it('grows by one after five retries, and never past eight', () => {
    expect([0, 1, 5].map((attempt) => codeLengthAt(attempt, 7))).toEqual([7, 7, 7]);
    expect(codeLengthAt(6, 7)).toBe(8);
    expect(codeLengthAt(6, 8)).toBe(8);
  });
});

describe('aliasFault', () => {
  it.each(['abcdef', 'ABCDEF', '123456', 'aB3dE6g', 'zzzzzzzz'])('lets %s pass', (alias) => {
    expect(aliasFault(alias)).toBeUndefined();
  });

  it.each([
    '',
    'abcde',
    'abcdefghi',
    'abc-def',
    'abc_def',
    'abc def',
    'äbcdef',
    'abcdef\n',
    'abcdef/',
    '../../',
    '＊bcdef',
    'ａbcdefg',
  ])('refuses the shape of %j', (alias) => {
    expect(aliasFault(alias)).toMatch(/^must be 6 to 8/);
  });

  it.each(['shorten', 'Shorten', 'SHORTEN', 'account', 'console', 'metrics', 'healthz', 'openapi'])(
    'refuses the route word %s, whatever the case',
    (alias) => {
      expect(aliasFault(alias)).toBe('is reserved');
    },
  );
});

describe('isCode', () => {
  it('holds to the end of the text', () => {
    expect(isCode('abc1234')).toBe(true);
    expect(isCode('abc1234\n')).toBe(false);
  });
});
