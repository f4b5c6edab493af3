import { dressHandover } from './handover-page.ts';

/** As the protocol library writes it. */
const made = `<!DOCTYPE html>
<html>
<head>
  <title>Submitting Callback</title>
  <script>document.forms[0].submit()</script>
</head>
<body>
  <form method="post" action="/auth/logout/confirm">
    <input type="hidden" name="xsrf" value="x"/>
    <noscript>
      Your browser does not support JavaScript or you've disabled it.<br/>
      <button autofocus type="submit">Continue</button>
    </noscript>
  </form>
</body>
</html>`;

describe('a form of the library that sends itself', () => {
  it('has a language, a title and our style, and keeps its script and its fields', () => {
    const dressed = dressHandover(made);
    expect(dressed).toContain('<html lang="en">');
    expect(dressed).toContain('<title>One moment – Gatepost</title>');
    expect(dressed).toContain('<script>document.forms[0].submit()</script>');
    expect(dressed).toContain('<input type="hidden" name="xsrf" value="x"/>');
    expect(dressed).toContain('<button autofocus type="submit">Continue</button>');
  });

  it('is the only page that is changed', () => {
    expect(dressHandover('<html><body>x</body></html>')).toBe('<html><body>x</body></html>');
  });
});
