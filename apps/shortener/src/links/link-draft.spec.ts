import { DomainError } from '@gatepost/problem-details';
import { judgeChange, judgeDraft } from './link-draft.ts';

const now = new Date('2026-11-20T12:00:00Z');
const rules = {
  destination: { publicUrl: 'https://go.example.com', allowPrivate: false },
  findOnBlocklist: (longUrl: string) =>
    longUrl.includes('evil.example') ? 'The site evil.example is on a blocklist.' : undefined,
};

function faultOf(work: () => unknown): { code: string; pointers: string[] } {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError)
      return { code: error.code, pointers: (error.errors ?? []).map(({ pointer }) => pointer) };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('judgeDraft', () => {
  it('stores the serialised destination and tracks clicks unless told otherwise', () => {
    expect(judgeDraft({ longUrl: 'HTTPS://Example.org' }, rules, now)).toEqual({
      longUrl: 'https://example.org/',
      alias: undefined,
      expiresAt: undefined,
      trackClicks: true,
    });
  });

  it('takes null for absent', () => {
    const draft = judgeDraft(
      { longUrl: 'https://example.org', customAlias: null, expiresAt: null },
      rules,
      now,
    );
    expect([draft.alias, draft.expiresAt]).toEqual([undefined, undefined]);
  });

  it.each([
    ['invalid-url', '/longUrl', { longUrl: 'ftp://example.org' }],
    ['invalid-alias', '/customAlias', { longUrl: 'https://example.org', customAlias: 'x' }],
    ['invalid-alias', '/customAlias', { longUrl: 'https://example.org', customAlias: '' }],
    [
      'invalid-expiry',
      '/expiresAt',
      { longUrl: 'https://example.org', expiresAt: '2020-01-01T00:00:00Z' },
    ],
    ['destination-blocklisted', '/longUrl', { longUrl: 'https://evil.example/' }],
  ])('%s points to %s', (code, pointer, input) => {
    expect(faultOf(() => judgeDraft(input, rules, now))).toEqual({ code, pointers: [pointer] });
  });
});

describe('judgeChange', () => {
  it('leaves what is not named alone', () => {
    expect(judgeChange({}, rules, now)).toEqual({
      longUrl: undefined,
      expiresAt: undefined,
      trackClicks: undefined,
    });
  });

  it('tells "never expires" from "not named"', () => {
    expect(judgeChange({ expiresAt: null }, rules, now).expiresAt).toBeNull();
  });

  it('judges a new destination as a creation does', () => {
    const change = (longUrl: string) => () => judgeChange({ longUrl }, rules, now);
    expect(faultOf(change('http://127.0.0.1')).code).toBe('invalid-url');
    expect(faultOf(change('https://evil.example')).code).toBe('destination-blocklisted');
  });
});
