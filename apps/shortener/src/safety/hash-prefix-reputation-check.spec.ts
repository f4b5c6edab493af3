import { createHash } from 'node:crypto';
import { expressionsOf, HashPrefixReputationCheck } from './hash-prefix-reputation-check.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function checkOf(...lines: string[]): HashPrefixReputationCheck {
  const check = new HashPrefixReputationCheck();
  const reading = check.readerOf('unread').begin();
  for (const line of lines) reading.addLine(line);
  reading.finish();
  return check;
}

describe('expressionsOf', () => {
  it('names hosts from the particular to the general, each with its paths', () => {
    expect(expressionsOf(new URL('http://a.b.example/1/2.html?param=1'))).toEqual([
      'a.b.example/1/2.html?param=1',
      'a.b.example/1/2.html',
      'a.b.example/',
      'a.b.example/1/',
      'b.example/1/2.html?param=1',
      'b.example/1/2.html',
      'b.example/',
      'b.example/1/',
    ]);
  });

  it('takes at most the last five labels and four folders', () => {
    const expressions = expressionsOf(new URL('http://a.b.c.d.e.f.g/1/2/3/4/5/6'));
    expect(new Set(expressions.map((expression) => expression.split('/')[0]))).toEqual(
      new Set(['a.b.c.d.e.f.g', 'c.d.e.f.g', 'd.e.f.g', 'e.f.g', 'f.g']),
    );
    expect(expressions).toContain('f.g/1/2/3/');
    expect(expressions).not.toContain('f.g/1/2/3/4/');
  });

  it('knows no domains above an address', () => {
    expect(expressionsOf(new URL('http://8.8.8.8/'))).toEqual(['8.8.8.8/']);
  });
});

describe('HashPrefixReputationCheck', () => {
  it('flags an address under a listed domain, by prefixes of different lengths', async () => {
    const url = new URL('https://www.evil.example/login/now?x');
    for (const line of [
      sha256('evil.example/'),
      sha256('evil.example/').slice(0, 16),
      sha256('evil.example/').slice(0, 8).toUpperCase(),
      `${sha256('www.evil.example/login/')} # a comment`,
      sha256('www.evil.example/login/now?x'),
    ])
      expect(await checkOf('# list', '', line).check(url)).toMatch(/list of dangerous/);
  });

  it('says nothing of others', async () => {
    const check = checkOf(sha256('evil.example/'), sha256('shared.example/bad/'));
    expect(await check.check(new URL('https://good.example/'))).toBeUndefined();
    expect(await check.check(new URL('https://shared.example/good/'))).toBeUndefined();
    expect(await checkOf().check(new URL('https://evil.example/'))).toBeUndefined();
  });

  it.each(['abc', 'evil.example', 'a'.repeat(65), '0123456'])('passes over the line %s', (line) => {
    const reading = new HashPrefixReputationCheck().readerOf('unread').begin();
    expect([reading.addLine(line), reading.finish()]).toEqual([false, 0]);
  });
});
