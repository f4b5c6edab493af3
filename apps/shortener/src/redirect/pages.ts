import { createHash } from 'node:crypto';

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#566274;--paper:#f6f7f9;--card:#fff;--line:#dfe3e9;--accent:#1f5fbf;--warn:#a3261b}
@media(prefers-color-scheme:dark){:root{--ink:#e8ecf2;--soft:#a9b4c3;--paper:#12161c;--card:#1b212a;--line:#323b48;--accent:#8db8ff;--warn:#ff9c91}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1.0625rem/1.6 system-ui,-apple-system,"Segoe UI",sans-serif}
main{width:min(36rem,100%);background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:clamp(1.5rem,5vw,3rem)}
h1{margin:0 0 .75rem;font-size:clamp(1.5rem,4vw,2rem);line-height:1.2}
p{margin:0 0 1rem}
.soft{color:var(--soft)}
.warn h1{color:var(--warn)}
code,pre{font-family:ui-monospace,"SF Mono",Menlo,monospace;font-size:.9em;overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:var(--paper);border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
a{color:var(--accent)}a:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:2px}
@media(max-width:30rem){dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}}
`;

/** The pages run no script, load nothing and cannot be framed; the one style is named by its hash. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** HTML that was escaped already. Only `html` makes it, so a plain string in a template is always escaped. */
class Markup {
  constructor(readonly text: string) {}
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function html(parts: TemplateStringsArray, ...values: (string | Markup)[]): Markup {
  const text = parts.reduce((sum, part, index) => {
    const value = values[index - 1] ?? '';
    const shown =
      value instanceof Markup
        ? value.text
        : value.replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? '');
    return sum + shown + part;
  });
  return new Markup(text);
}

function page(title: string, body: Markup, tone = ''): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main class="${tone}">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;
}

export function notFoundPage(requestId: string): string {
  return page(
    'There is no link here',
    html`<p>The address may have been mistyped, or its owner has removed it. Capital and small letters count.</p>
<p class="soft">If somebody gave you this link, ask them for a new one. Reference: <code>${requestId}</code></p>`,
  );
}

export function expiredPage(requestId: string): string {
  return page(
    'This link has expired',
    html`<p>Its owner set an end date, and that has passed. The address will never lead anywhere else.</p>
<p class="soft">Ask whoever gave you the link where it led to. Reference: <code>${requestId}</code></p>`,
  );
}

export function blockedPage(reason: string, requestId: string): string {
  return page(
    'This link is blocked',
    html`<p>We stopped this link because its destination looks dangerous. Such pages steal passwords, card numbers or install harmful programs.</p>
<dl><dt>Why</dt><dd>${reason}</dd></dl>
<p>Do not look for another way there. If you entered a password after following this link earlier, change it now.</p>
<p class="soft">If this is your link and you think we are wrong, tell the operator of this service. Reference: <code>${requestId}</code></p>`,
    'warn',
  );
}

export function unavailablePage(requestId: string): string {
  return page(
    'One moment, please',
    html`<p>We cannot look this link up right now. It is most likely fine: please try again in a few seconds.</p>
<p class="soft">Reference: <code>${requestId}</code></p>`,
  );
}

export function homePage(publicUrl: string): string {
  return page(
    'Gatepost links',
    html`<p>This is a link shortener: it turns a long address into a short one and counts the visits.</p>
<pre>curl -X POST ${publicUrl}/shorten \\
  -H 'content-type: application/json' \\
  -d '{"longUrl":"https://example.com/a/long/path"}'</pre>
<dl>
<dt>Interface</dt><dd><a href="/openapi.json">OpenAPI description</a></dd>
<dt>Sign-in</dt><dd><a href="/auth/account">Your account</a></dd>
</dl>
<p class="soft">A short link never changes hands: its code is not given out a second time.</p>`,
  );
}
