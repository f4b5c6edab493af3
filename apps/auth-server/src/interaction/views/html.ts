/** Markup that is safe to send: text came into it through `html` alone. */
export class Html {
  constructor(readonly markup: string) {}

  toString(): string {
    return this.markup;
  }
}

export type Fragment = Html | string | number | false | null | undefined | readonly Fragment[];

/**
 * A template whose holes are escaped, always: for text and for attribute values in double quotes. Only what another
 * `html` template made goes in as it is. Nothing shows for `false`, `null` and `undefined`; lists are joined.
 */
export function html(pieces: TemplateStringsArray, ...holes: readonly Fragment[]): Html {
  let markup = pieces[0] ?? '';
  holes.forEach((hole, index) => {
    markup += render(hole) + (pieces[index + 1] ?? '');
  });
  return new Html(markup);
}

function render(fragment: Fragment): string {
  if (fragment instanceof Html) return fragment.markup;
  if (Array.isArray(fragment)) return fragment.map(render).join('');
  if (fragment === undefined || fragment === null || fragment === false) return '';
  return escapeText(String(fragment));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? character);
}
