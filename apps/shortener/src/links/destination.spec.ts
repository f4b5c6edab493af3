import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { MAX_LONG_URL_LENGTH, parseDestination } from './destination.ts';

const rules = { publicUrl: 'https://go.example.com', allowPrivate: false };

function judge(text: string, changed: Partial<typeof rules> = {}) {
  const destination = parseDestination(text, { ...rules, ...changed });
  return destination.ok ? destination.url.href : `✗ ${destination.fault}`;
}

describe('parseDestination', () => {
  it.each([
    ['https://example.org', 'https://example.org/'],
    ['HTTPS://EXAMPLE.org/Path', 'https://example.org/Path'],
    ['http://example.org:80/', 'http://example.org/'],
    ['https://example.org:8443/a?b=c#d', 'https://example.org:8443/a?b=c#d'],
    ['https://example.org/ä?ö=ü#ß', 'https://example.org/%C3%A4?%C3%B6=%C3%BC#%C3%9F'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['https://example.org/../a/./b/../c', 'https://example.org/a/c'],
    ['https://example.org/a%20b', 'https://example.org/a%20b'],
    ['https://example.org/%0d%0aSet-Cookie:x', 'https://example.org/%0d%0aSet-Cookie:x'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['http://0x8.8.8.8/', 'http://8.8.8.8/'],
    ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
    ['https://example.org./', 'https://example.org./'],
    ['https:///example.org', 'https://example.org/'],
    ['https://127.0.0.1.nip.io/', 'https://127.0.0.1.nip.io/'],
    ['https://localhost.example.org/', 'https://localhost.example.org/'],
    ['https://notlocal.example/', 'https://notlocal.example/'],
    ['https://mylocalhost.org/', 'https://mylocalhost.org/'],
    ['https://go.example.com:8443/', 'https://go.example.com:8443/'],
    ['https://www.go.example.com/', 'https://www.go.example.com/'],
    ['https://@example.org/', 'https://example.org/'],
    ['https://example.org/?next=http://127.0.0.1/', 'https://example.org/?next=http://127.0.0.1/'],
  ])('accepts %s as %s', (text, href) => {
    expect(judge(text)).toBe(href);
  });

  describe('refuses what is not plain http or https', () => {
    it.each([
      '',
      'example.org',
      '//example.org/',
      '/path',
      'ftp://example.org/',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'mailto:a@example.org',
      'https:example.org',
      'https:/example.org',
      'https:\\\\example.org',
      'httpx://example.org',
      'view-source:https://example.org',
      '\u200bhttps://example.org',
    ])('%j', (text) => {
      expect(judge(text)).toBe('✗ must begin with http:// or https://');
    });
  });

  describe('refuses blanks and control characters, which the parser would drop in silence', () => {
    it.each([
      ' https://example.org',
      '\thttps://example.org',
      '\nhttps://example.org',
      'ht\ntps://example.org',
    ])('%j before the scheme ends', (text) => {
      expect(judge(text)).toMatch(/^✗/);
    });
    it.each([
      'https://example.org ',
      'https://exam\tple.org/',
      'https://example.org/a\nb',
      'https://example.org/a\r\nLocation: https://evil.example',
      'https://example.org/a b',
      'https://example.org/\u0000',
      'https://example.org/\u001f',
      'https://127.0.0.\t1/',
      'https://local\nhost/',
    ])('%j', (text) => {
      expect(judge(text)).toBe('✗ must not hold blanks or control characters');
    });
  });

  it.each([
    'https://',
    'https://?',
    'https://#',
    'https://:443/',
    'https://example.org:65536/',
    'https://example.org:x/',
    'https://exa%mple.org/',
    'https://[::1',
    'https://[fe80::1%25eth0]/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://0x100000000/',
    'https://a<b.org/',
    'https://xn--a/',
    'https://example.org%00/',
  ])('refuses %s, which is no valid URL', (text) => {
    expect(judge(text)).toMatch(/^✗ /);
  });

  it.each([
    'https://user@example.org/',
    'https://user:password@example.org/',
    'https://:password@example.org/',
    'https://example.com%40@example.org/',
    'https://google.com:80@example.org/',
    'http://127.0.0.1:80@example.org/',
  ])('refuses credentials: %s', (text) => {
    expect(judge(text)).toBe('✗ must not hold credentials');
  });

  it('measures the serialised form', () => {
    const base = 'https://example.org/';
    const longest = base + 'a'.repeat(MAX_LONG_URL_LENGTH - base.length);
    expect(judge(longest)).toBe(longest);
    expect(judge(`${longest}a`)).toMatch(/^✗ must be at most 2048/);
    // One character as typed, six as sent.
    expect(judge(base + 'ä'.repeat(400))).toMatch(/^✗ must be at most 2048/);
    expect(judge(`${base}${'a/../'.repeat(1_000)}`)).toBe(base);
  });

  it.each([
    'https://go.example.com',
    'https://go.example.com/abc1234',
    'HTTPS://GO.EXAMPLE.COM:443/',
    'http://go.example.com/',
    'https://go.example.com./',
    'https://%67o.example.com/',
    'https://ｇｏ.example.com/',
  ])('refuses a link to this service: %s', (text) => {
    expect(judge(text)).toBe('✗ must not point to this service itself');
  });

  it('knows this service by its port where it has one', () => {
    const local = { publicUrl: 'http://localhost:8080', allowPrivate: true };
    expect(judge('http://localhost:8080/x', local)).toBe('✗ must not point to this service itself');
    expect(judge('http://localhost:3000/x', local)).toBe('http://localhost:3000/x');
  });

  describe('refuses every spelling of an address that is not public', () => {
    it.each([
      'http://127.0.0.1/',
      'http://127.1/',
      'http://127.0.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0x7f.0.0.1/',
      'http://0x7f.1/',
      'http://0177.0.0.1/',
      'http://017700000001/',
      'http://0/',
      'http://0.0.0.0/',
      'http://127.0.0.1./',
      'http://127。0。0。1/',
      'http://①②⑦.⓪.⓪.①/',
      'http://１２７.0.0.1/',
      'http://%31%32%37.0.0.1/',
      'http://127.0.0.1:8080/',
      'http://10.0.0.1/',
      'http://012.0.0.1/',
      'http://172.16.0.1/',
      'http://192.168.0.1/',
      'http://3232235521/',
      'http://169.254.169.254/latest/meta-data/',
      'http://0xa9fea9fe/',
      'http://2852039166/',
      'http://0251.0376.0251.0376/',
      'http://100.64.0.1/',
      'http://192.0.2.1/',
      'http://198.18.0.1/',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
      'http://[::]/',
      'http://[::1]/',
      'http://[0:0:0:0:0:0:0:1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
      'http://[0:0:0:0:0:ffff:10.0.0.1]/',
      'http://[::ffff:8.8.8.8]/',
      'http://[::127.0.0.1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://[2002:7f00:1::]/',
      'http://[2001:0:7f00:1::]/',
      'http://[2001:db8::1]/',
      'http://[fc00::1]/',
      'http://[fd00:ec2::254]/',
      'http://[fe80::1]/',
      'http://[ff02::1]/',
    ])('%s', (text) => {
      expect(judge(text)).toBe('✗ must point to a public address');
    });
  });

  it.each([
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://ⓛocalhost/',
    'http://intranet/',
    'http://com/',
    'http://com./',
    'http://example..org/',
    'http://.example.org/',
    'http://example.org../',
  ])('refuses a name without a domain: %s', (text) => {
    expect(judge(text)).toBe('✗ must name a host with a domain, like example.com');
  });

  it.each([
    'http://app.localhost/',
    'http://app.localhost./',
    'http://printer.local/',
    'http://PRINTER.LOCAL/',
    'http://metadata.google.internal/',
    'http://metadata.google.internal./',
    'http://nas.home.arpa/',
    'http://home.arpa/',
    'http://a.b.c.localhost/',
  ])('refuses a name of a local network: %s', (text) => {
    expect(judge(text)).toBe('✗ must not name a host of a local network');
  });

  it('lifts only the rules for addresses where private destinations are allowed', () => {
    const allowed = { allowPrivate: true };
    expect(judge('http://localhost:3000/', allowed)).toBe('http://localhost:3000/');
    expect(judge('http://127.1/', allowed)).toBe('http://127.0.0.1/');
    expect(judge('http://[::1]/', allowed)).toBe('http://[::1]/');
    expect(judge('ftp://localhost/', allowed)).toMatch(/^✗/);
    expect(judge('http://user@localhost/', allowed)).toMatch(/^✗/);
    expect(judge('http://local host/', allowed)).toMatch(/^✗/);
  });

  it('accepts nothing that the contract forbids, whatever is thrown at it', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...[
          'http://',
          'https://',
          'HTTP:',
          '//',
          '/',
          '\\',
          '@',
          ':',
          '.',
          '%',
          '#',
          '?',
          '[',
          ']',
        ],
        ...['127.0.0.1', '0x7f', '2130706433', '::1', '::ffff:', 'localhost', 'local', 'internal'],
        ...[
          'example',
          '.org',
          '10.',
          '169.254.169.254',
          '\t',
          '\n',
          ' ',
          '\u0000',
          '。',
          '①',
          'xn--',
        ],
        ...['%00', '%2e', '%31', 'go.example.com', '8.8.8.8', '[2606:4700::1]'],
      ),
      fc.string({ maxLength: 6, unit: 'binary' }),
      fc.webUrl(),
      fc.ipV4Extended(),
      fc.ipV6(),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.constantFrom('', 'http://', 'https://'),
        (pieces, scheme) => {
          const text = scheme + pieces.join('');
          const destination = parseDestination(text, rules);
          if (!destination.ok) return;
          const { href } = destination.url;
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
          expect(text).not.toMatch(/[\u0000-\u0020]/);
          expect(text).toMatch(/^https?:\/\//i);
          expect(href.length).toBeLessThanOrEqual(2_048);
          // What is stored is what is sent: parsing it again changes nothing.
          const again = new URL(href);
          expect(again.href).toBe(href);
          expect([again.username, again.password]).toEqual(['', '']);
          const host = again.hostname.replace(/^\[|\]$/g, '');
          if (ipaddr.isValid(host)) expect(ipaddr.parse(host).range()).toBe('unicast');
          else {
            const labels = host.replace(/\.$/, '').split('.');
            expect(labels.length).toBeGreaterThan(1);
            expect(['localhost', 'local', 'internal']).not.toContain(labels.at(-1));
            expect(labels.slice(-2).join('.')).not.toBe('home.arpa');
          }
        },
      ),
      runs(20_000),
    );
  });
});
