import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { readTarget } from './request-target.ts';

describe('the request target', () => {
  it.each([
    ['/', '/'],
    ['/abc1234', '/abc1234'],
    ['/abc1234/', '/abc1234/'],
    ['/auth/token?code=a/../b', '/auth/token'],
    ['/a?q=%2e%2e%2f#'.slice(0, -1), '/a'],
    ['/a.b/.well-known/x..y/...', '/a.b/.well-known/x..y/...'],
    ['/%61uth/x', '/auth/x'],
    ['/caf%C3%A9', '/café'],
    ['/a%20b', '/a b'],
    ['/100%25', '/100%'],
    ['/a%2520b', '/a%20b'],
    ['/a;v=1/b', '/a;v=1/b'],
    ['/a|b[c]{d}^`"<>', '/a|b[c]{d}^`"<>'],
    ['/%3Fq', '/?q'],
  ])('reads %s as %s and forwards it untouched', (target, path) => {
    expect(readTarget('GET', target)).toEqual({ path, forwarded: target, authority: undefined });
  });

  it.each([
    ['a dot segment', '/a/../b'],
    ['a dot segment at the end', '/a/..'],
    ['a single dot', '/a/./b'],
    ['nothing but dots', '/..'],
    ['an encoded dot segment', '/a/%2e%2e/b'],
    ['a half-encoded dot segment', '/a/.%2E/b'],
    ['a dot segment with parameters', '/a/..;x=1/b'],
    ['an encoded parameter after dots', '/a/..%3bx/b'],
    ['an encoded slash', '/a%2Fb'],
    ['an encoded slash that hides a dot segment', '/a/..%2f..%2fetc'],
    ['a backslash', '/a\\b'],
    ['an encoded backslash', '/a%5Cb'],
    ['a double slash', '//auth/token'],
    ['a double slash inside', '/a//b'],
    ['NUL', '/a%00'],
    ['a control character', '/a%0d%0aX: 1'],
    ['DEL', '/a%7f'],
    ['dots encoded twice', '/%252e%252e/auth'],
    ['a slash encoded twice', '/a%252fb'],
    ['a percent sign encoded twice', '/a%25252e'],
    ['NUL encoded twice', '/a%2500'],
    ['a lone percent sign', '/100%'],
    ['a broken escape', '/a%zz'],
    ['an overlong slash', '/a%c0%afb'],
    ['half a character', '/a%e2%82'],
    ['UTF-8 in the clear', '/café'],
    ['a fragment', '/a#b'],
    ['a fragment after the query', '/a?b#c'],
  ])('refuses %s', (_what, target) => {
    expect(readTarget('GET', target)).toEqual({ fault: expect.any(String) });
  });

  it.each([
    ['http://example.com/a?b', '/a', '/a?b', 'example.com'],
    ['HTTP://example.com:8080/a', '/a', '/a', 'example.com:8080'],
    ['https://example.com', '/', '/', 'example.com'],
    ['http://example.com?x=1', '/', '/?x=1', 'example.com'],
  ])('takes the absolute form %s apart', (target, path, forwarded, authority) => {
    expect(readTarget('GET', target)).toEqual({ path, forwarded, authority });
  });

  it.each([
    ['another scheme', 'ftp://example.com/a'],
    ['no authority', 'http:///a'],
    ['credentials', 'http://user:secret@example.com/a'],
    ['a dot segment', 'http://example.com/../a'],
    ['a backslash after the host', 'http://example.com\\@evil.example/a'],
    ['the authority form', 'example.com:443'],
  ])('refuses an absolute form with %s', (_what, target) => {
    expect(readTarget('GET', target)).toEqual({ fault: expect.any(String) });
  });

  it('takes "*" from OPTIONS alone', () => {
    expect(readTarget('OPTIONS', '*')).toEqual({ path: '*', forwarded: '*', authority: undefined });
    expect(readTarget('GET', '*')).toEqual({ fault: expect.any(String) });
  });

  it('reads OPTIONS for an address without path as "*"', () => {
    expect(readTarget('OPTIONS', 'http://example.com')).toMatchObject({ path: '*' });
  });
});

describe('any target', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...[
        '/',
        '//',
        '.',
        '..',
        '/../',
        '/./',
        '..;',
        ';x=1',
        '\\',
        '%',
        '%2e',
        '%2E',
        '%2f',
        '%5c',
        '%25',
        '%252e',
        '%00',
        '%0d%0a',
      ],
      ...[
        '%c0%af',
        '%ff',
        '%e2%80%ae',
        '?',
        '#',
        '*',
        '@',
        ':',
        'http://',
        'https://',
        'links.example',
        'auth',
        'a',
        ' ',
        '\t',
        '\u0000',
        'é',
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.webUrl(),
  );
  const target = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  );

  it('is refused, or read as a server behind the gateway reads it, and forwarded as it came', () => {
    fc.assert(
      fc.property(fc.constantFrom('GET', 'POST', 'OPTIONS'), target, (method, text) => {
        const read = readTarget(method, text);
        if ('fault' in read || read.path === '*') return;
        expect(text.endsWith(read.forwarded) || `/${text}`.includes(read.forwarded.slice(1))).toBe(
          true,
        );
        // An independent reading: dot segments resolved, a backslash taken for a slash, `//name` for another host.
        const seen = new URL(`http://upstream.invalid${read.forwarded}`);
        expect(seen.host).toBe('upstream.invalid');
        expect(decodeURIComponent(seen.pathname)).toBe(read.path);
        expect(read.path).not.toMatch(/\/\.{1,2}(?:[/;]|$)|\/\/|\\/);
        // Twice decoded it is the same place still.
        let twice = read.path;
        try {
          twice = decodeURIComponent(read.path);
        } catch {
          return; // a percent sign on its own: there is no second decoding
        }
        expect(twice.split('/').length).toBe(read.path.split('/').length);
      }),
      runs(10_000),
    );
  });
});
