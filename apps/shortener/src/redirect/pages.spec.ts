import { createHash } from 'node:crypto';
import { blockedPage, expiredPage, homePage, notFoundPage, PAGE_HEADERS } from './pages.ts';

const pages = {
  'not found': notFoundPage('request-1'),
  expired: expiredPage('request-1'),
  blocked: blockedPage('The site evil.example is on a blocklist.', 'request-1'),
  home: homePage('https://go.example.com'),
};

describe.each(Object.entries(pages))('the page "%s"', (_name, page) => {
  it('has a language, a title, one heading and one main', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    const [, title] = /<title>([^<]+)<\/title>/.exec(page) ?? [];
    expect(page).toContain(`<h1>${title}</h1>`);
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page.match(/<main/g)).toHaveLength(1);
  });

  it('runs no script, loads nothing, and styles only what its policy names', () => {
    expect(page).not.toMatch(/<script|<img|<link|<iframe| style=| on\w+=/i);
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(PAGE_HEADERS['content-security-policy']).toContain(`'sha256-${hash}'`);
  });
});

describe('blockedPage', () => {
  it('says why, and takes nothing in the reason for markup', () => {
    const page = blockedPage(`<img src=x onerror='alert("1")'> & co`, 'r');
    expect(page).toContain('&lt;img src=x onerror=&#39;alert(&quot;1&quot;)&#39;&gt; &amp; co');
    expect(page).not.toContain('<img');
  });
});
