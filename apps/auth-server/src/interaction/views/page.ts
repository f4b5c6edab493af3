import { type Fragment, Html, html } from './html.ts';
import { STYLE } from './style.ts';

export interface PageParts {
  /** What the browser's tab says, without the name of the service. */
  readonly title: string;
  readonly content: Fragment;
  /** The page shows faults: its title says so first, for people who hear pages. */
  readonly isFaulty?: boolean;
  /** For lists rather than a single form. */
  readonly isWide?: boolean;
}

const MARK = new Html(
  '<svg viewBox="0 0 32 32" fill="none" aria-hidden="true"><path d="M7 4v24M25 4v24" stroke="currentColor" stroke-width="4" stroke-linecap="round"/><path d="M7 12h18M7 21h18" stroke="currentColor" stroke-width="2.5"/><circle cx="20" cy="16.5" r="1.8" fill="currentColor"/></svg>',
);

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Cpath d=%22M7 4v24M25 4v24M7 12h18M7 21h18%22 stroke=%22%231d5b45%22 stroke-width=%223.5%22/%3E%3C/svg%3E';

const INLINE_STYLE = new Html(`<style>${STYLE}</style>`);

/** A whole page. */
export function renderPage({ title, content, isFaulty, isWide }: PageParts): string {
  const page = html`<!doctype html>
<html lang="en"${new Html(isWide ? ' class="wide"' : '')}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${isFaulty ? 'Error: ' : ''}${title} – Gatepost</title>
<link rel="icon" href="${new Html(ICON)}">
${INLINE_STYLE}
</head>
<body>
<header><span class="brand">${MARK}Gatepost</span></header>
<main>${content}</main>
<footer>Applications never see your password.</footer>
</body>
</html>`;
  return page.markup;
}
