import { pageHeaders } from './page-headers.ts';

describe('header fields of pages', () => {
  it('let nothing be loaded, run, framed, kept or told to others', () => {
    const headers = pageHeaders({ formsStayHere: true, isHttps: true });
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; script-src; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it('leave form-action out where the chain of redirects ends at an application', () => {
    const headers = pageHeaders({ formsStayHere: false, isHttps: false });
    expect(headers['content-security-policy']).not.toContain('form-action');
    expect(headers).not.toHaveProperty('strict-transport-security');
  });
});
