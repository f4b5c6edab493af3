import { type Fragment, html } from './html.ts';
import { renderPage } from './page.ts';

export interface NoticeView {
  readonly title: string;
  readonly text: Fragment;
  /** For whoever is asked to help: an error code, a request id. */
  readonly facts?: readonly { readonly term: string; readonly value: string | undefined }[];
  readonly link?: { readonly path: string; readonly label: string };
  readonly isFault?: boolean;
}

/** A page that only says something. */
export function renderNotice({ title, text, facts, link, isFault }: NoticeView): string {
  const known = (facts ?? []).filter(({ value }) => value);
  const content = html`<section class="sheet">
<h1>${title}</h1>
<p>${text}</p>
${link && html`<div class="actions"><a class="button" href="${link.path}">${link.label}</a></div>`}
${
  known.length > 0 &&
  html`<details><summary>Details for whoever helps you</summary>
<dl>${known.map(({ term, value }) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl></details>`
}
</section>`;
  return renderPage({ title, content, ...(isFault ? { isFaulty: true } : {}) });
}
