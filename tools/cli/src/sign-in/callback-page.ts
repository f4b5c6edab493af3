import { createHash } from 'node:crypto';

/** What the browser shows at the end of a login. `foreign`: a callback that belongs to no login of this command. */
export type CallbackPage =
  | { readonly kind: 'done'; readonly who: string; readonly where: string }
  | { readonly kind: 'failed'; readonly sentence: string }
  | { readonly kind: 'foreign' };

const STYLE = `
:root { color-scheme: light dark; --ink: #17211b; --soft: #56635b; --paper: #f4f6f2; --card: #fff; --line: #d9dfd8; --good: #1c7a46; --bad: #b3321f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eee9; --soft: #a3b0a7; --paper: #121714; --card: #1b221e; --line: #2e3832; --good: #63c78e; --bad: #f08a77; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1.0625rem/1.55 system-ui, sans-serif; }
main { width: 100%; max-width: 27rem; padding: 2.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: .5rem 0 0; color: var(--soft); overflow-wrap: anywhere; }
strong { color: var(--ink); }
.mark { width: 2.75rem; height: 2.75rem; margin-bottom: 1.1rem; border-radius: 50%; display: grid; place-items: center; border: 2px solid currentColor; color: var(--good); font-size: 1.35rem; line-height: 1; }
.mark.bad { color: var(--bad); }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded, nothing runs, nothing is kept, nothing is told to anyone. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

export function renderCallbackPage(page: CallbackPage): string {
  const { title, mark, body } = contentOf(page);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Gatepost</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<div class="mark${mark === '✓' ? '' : ' bad'}" aria-hidden="true">${mark}</div>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

function contentOf(page: CallbackPage): { title: string; mark: string; body: string } {
  switch (page.kind) {
    case 'done':
      return {
        title: 'You are signed in',
        mark: '✓',
        body: `<p>The command line now works at <strong>${escapeHtml(page.where)}</strong> as <strong>${escapeHtml(page.who)}</strong>.</p>
<p>You can close this page and go back to the terminal.</p>`,
      };
    case 'failed':
      return {
        title: 'You are not signed in',
        mark: '!',
        body: `<p>${escapeHtml(page.sentence)}</p>
<p>The terminal says what to do next. You can close this page.</p>`,
      };
    case 'foreign':
      return {
        title: 'This is not the page you want',
        mark: '!',
        body: `<p>It belongs to another sign-in, perhaps an older one, and was ignored.</p>
<p>Use the address that the terminal shows.</p>`,
      };
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
