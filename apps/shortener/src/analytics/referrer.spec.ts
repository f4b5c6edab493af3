import { referrerHost } from './referrer.ts';

describe('referrerHost', () => {
  it.each([
    ['https://news.example.com/a/b?c=d#e', 'news.example.com'],
    ['http://www.example.com/', 'example.com'],
    ['HTTPS://WWW.EXAMPLE.COM', 'example.com'],
    ['https://example.com.:8443/', 'example.com'],
    ['https://user:secret@example.com/', 'example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://[2001:db8::1]/', '[2001:db8::1]'],
    [null, ''],
    ['', ''],
    ['android-app://com.example.reader/', ''],
    ['javascript:alert(1)', ''],
    ['https://', ''],
    ['https://exa mple.com/', ''],
    [`https://${'a'.repeat(60)}.${'b.'.repeat(120)}example/`, ''],
  ])('%j comes from %j', (referrer, host) => {
    expect(referrerHost(referrer)).toBe(host);
  });
});
