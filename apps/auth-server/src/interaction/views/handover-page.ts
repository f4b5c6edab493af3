import { STYLE } from './style.ts';

/** By this the library's self-sending form is known: to end another session. */
const MARK = '<title>Submitting Callback</title>';

/**
 * The page with which the protocol library lets a browser send a form by itself. It is gone in a blink; where scripts are
 * off it stays, with a button, and then it should look like the other pages. Unknown markup is left alone.
 */
export function dressHandover(html: string): string {
  if (!html.includes(MARK)) return html;
  return html
    .replace('<html>', '<html lang="en">')
    .replace(
      MARK,
      `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>One moment – Gatepost</title><style>${STYLE}</style>`,
    )
    .replace('<body>', '<body><main><noscript><h1>One moment</h1></noscript>')
    .replace(/<noscript>(\s*)Your browser[^<]*<br\/>/, '<noscript>$1<p>One more step.</p>')
    .replace('</body>', '</main></body>');
}
