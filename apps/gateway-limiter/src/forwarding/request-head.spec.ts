import { type HeadLines, MAX_HEADER_FIELDS, readHead } from './request-head.ts';

function lines(rawHeaders: string[], over: Partial<HeadLines> = {}): HeadLines {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    headers[name] ??= rawHeaders[index + 1] as string;
  }
  return { method: 'GET', url: '/a', httpVersion: '1.1', headers, rawHeaders, ...over };
}

describe('the head of a request', () => {
  it('keeps what routes apart from what is forwarded', () => {
    expect(readHead(lines(['Host', 'Example.COM.:8080']))).toMatchObject({
      host: 'example.com',
      hostField: 'Example.COM.:8080',
      method: 'GET',
    });
  });

  it('takes the host of an absolute form instead of Host', () => {
    expect(readHead(lines(['Host', 'other'], { url: 'http://example.com:81/a' }))).toMatchObject({
      host: 'example.com',
      hostField: 'example.com:81',
    });
  });

  it('allows HTTP/1.0 without Host', () => {
    expect(readHead(lines([], { httpVersion: '1.0' }))).toMatchObject({ host: '' });
  });

  it.each([
    ['no Host', [], {}],
    ['two Hosts', ['Host', 'a', 'host', 'b'], {}],
    ['two equal Hosts', ['Host', 'a', 'HOST', 'a'], {}],
    ['two Hosts in HTTP/1.0', ['Host', 'a', 'Host', 'a'], { httpVersion: '1.0' }],
    ['an empty Host', ['Host', ''], {}],
    ['a Host with a path', ['Host', 'a/b'], {}],
    ['a Host with credentials', ['Host', 'a@b'], {}],
    ['a Host list', ['Host', 'a, b'], {}],
    ['a Host with a space', ['Host', 'a b'], {}],
    ['a Host with a fragment', ['Host', 'a#b'], {}],
    ['a bad Host beside a good absolute form', ['Host', 'a/b'], { url: 'http://ok/' }],
    ['a bad absolute form', ['Host', 'a'], { url: 'http://b,c/' }],
    ['chunked in HTTP/1.0', ['Host', 'a', 'Transfer-Encoding', 'chunked'], { httpVersion: '1.0' }],
    ['an empty Transfer-Encoding', ['Host', 'a', 'Transfer-Encoding', ''], {}],
    ['HTTP/2.0 in the clear', ['Host', 'a'], { httpVersion: '2.0' }],
    ['HTTP/0.9', [], { httpVersion: '0.9' }],
    ['a path with two readings', ['Host', 'a'], { url: '/a/../b' }],
  ])('refuses %s', (_what, rawHeaders, over) => {
    expect(readHead(lines(rawHeaders, over))).toMatchObject({ code: 'malformed-request' });
  });

  it.each(['gzip, chunked', 'chunked, chunked', 'identity, chunked'])(
    'does not implement the transfer coding "%s"',
    (coding) => {
      expect(readHead(lines(['Host', 'a', 'Transfer-Encoding', coding]))).toMatchObject({
        code: 'not-implemented',
      });
    },
  );

  it.each(['chunked', 'Chunked'])('knows the transfer coding "%s"', (coding) => {
    expect(readHead(lines(['Host', 'a', 'Transfer-Encoding', coding]))).toMatchObject({
      host: 'a',
    });
  });

  it('counts the fields, for Node would drop a second Host beyond its own limit', () => {
    const many = Array.from({ length: MAX_HEADER_FIELDS }, (_, index) => [
      `x-${index}`,
      '1',
    ]).flat();
    expect(readHead(lines(['Host', 'a', ...many]))).toMatchObject({ code: 'headers-too-large' });
  });

  it('bounds the target', () => {
    expect(readHead(lines(['Host', 'a'], { url: `/${'a'.repeat(9_000)}` }))).toMatchObject({
      code: 'target-too-long',
    });
  });

  it.each(['a', 'a.example', 'a-b_c.example:80', '127.0.0.1:8080', '[::1]', '[::1]:8080', 'a:'])(
    'takes %s for a host',
    (host) => {
      expect(readHead(lines(['Host', host]))).toMatchObject({ hostField: host });
    },
  );
});
