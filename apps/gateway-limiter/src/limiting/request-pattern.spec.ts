import { comparablePath, matchesRequest, readRequestPattern } from './request-pattern.ts';

const matches = (
  pattern: string,
  method: string,
  path: string,
  host = 'a.example',
  only?: string,
) => matchesRequest(readRequestPattern(pattern, only), method, host, comparablePath(path));

describe('request pattern', () => {
  it.each([
    ['POST /shorten', 'POST', '/shorten', true],
    ['POST /shorten', 'GET', '/shorten', false],
    ['POST /shorten', 'POST', '/shorten/', true],
    ['POST /shorten', 'POST', '/Shorten', true],
    ['POST /shorten', 'POST', '/shortenX', false],
    ['POST /shorten', 'POST', '/shorten/x', false],
    ['GET,HEAD /a', 'HEAD', '/a', true],
    ['* /api/*', 'DELETE', '/api/x/y', true],
    ['* /api/*', 'GET', '/api', true],
    ['* /api/*', 'GET', '/apis', false],
    ['* /*', 'GET', '/', true],
    ['* /*', 'GET', '/anything', true],
    ['* /', 'GET', '/', true],
    ['* /', 'GET', '/x', false],
  ])('"%s" and %s %s: %s', (pattern, method, path, expected) => {
    expect(matches(pattern, method, path)).toBe(expected);
  });

  it('may be for one host only', () => {
    expect(matches('* /*', 'GET', '/', 'a.example', 'a.example')).toBe(true);
    expect(matches('* /*', 'GET', '/', 'b.example', 'a.example')).toBe(false);
  });
});
