import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
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

describe('any head', () => {
  const value = fc.oneof(
    fc.constantFrom(
      'links.example',
      'links.example:80',
      '[::1]',
      'a b',
      'a,b',
      'evil/',
      'a@b',
      '',
      ' ',
      'chunked',
      'Chunked',
      'gzip, chunked',
      'x',
    ),
    fc.string({ maxLength: 12 }),
  );
  const field = fc.tuple(
    fc.constantFrom('Host', 'host', 'HOST', 'Transfer-Encoding', 'Content-Length', 'X-A'),
    value,
  );
  const target = fc.oneof(
    fc.constantFrom(
      '/',
      '*',
      '/a?b',
      'http://links.example/',
      'http://a@b/',
      'ftp://x/',
      '//x',
      '',
    ),
    fc.string({ maxLength: 20 }),
  );

  it('is refused with a problem, or has one host that can be routed', () => {
    fc.assert(
      fc.property(
        fc.array(field, { maxLength: 6 }),
        target,
        fc.constantFrom('1.1', '1.0', '0.9', '2.0', ''),
        (fields, url, httpVersion) => {
          const read = readHead(lines(fields.flat(), { url, httpVersion }));
          if ('code' in read) {
            expect([
              'malformed-request',
              'headers-too-large',
              'target-too-long',
              'not-implemented',
            ]).toContain(read.code);
            expect(read.detail).not.toBe('');
            return;
          }
          const hosts = fields.filter(([name]) => name.toLowerCase() === 'host');
          expect(hosts.length).toBeLessThan(2);
          expect(read.host).toMatch(/^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])?$/);
          if (read.host === '') expect(httpVersion).toBe('1.0');
        },
      ),
      runs(5_000),
    );
  });
});
