import { Browser } from './browser.ts';
import { ISSUER, PUBLIC_URL } from './protocol-server.ts';

type Fields = Readonly<Record<string, string>>;

/** What a browser without JavaScript shows. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where the page is. */
  readonly path: string;
  /** Set when the browser was sent to an application instead. */
  readonly location: URL | undefined;
}

interface Form {
  readonly action: string;
  readonly fields: Fields;
}

/** A person at a browser without JavaScript: opens addresses, fills in the one form of a page, presses its buttons. */
export class PageBrowser {
  readonly browser: Browser;
  page: Shown | undefined;

  constructor(
    readonly origins: readonly string[],
    private readonly headers: Fields = {},
  ) {
    this.browser = new Browser(origins);
  }

  async open(pathOrUrl: string): Promise<Shown> {
    const url = pathOrUrl.startsWith('http') ? pathOrUrl : `${PUBLIC_URL}${pathOrUrl}`;
    return this.follow(url, { headers: this.headers });
  }

  /** Fills in and sends the form on the page; `button` is the text of the button that is pressed. */
  async send(fields: Fields = {}, button?: string): Promise<Shown> {
    const form = this.form(button);
    return this.post(form.action, { ...form.fields, ...fields });
  }

  /** Sends whatever one likes to wherever one likes, with this browser's cookies. */
  async post(path: string, fields: Fields, headers: Fields = {}): Promise<Shown> {
    return this.follow(new URL(path, PUBLIC_URL).href, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: {
        'sec-fetch-site': 'same-origin',
        origin: 'null',
        ...this.headers,
        ...headers,
      },
    });
  }

  /** The form on the page as the named button would send it. */
  form(button?: string): Form {
    const html = this.page?.html ?? '';
    const [, attributes, content] = /<form\b([^>]*)>([\s\S]*?)<\/form>/.exec(html) ?? [];
    if (attributes === undefined || content === undefined)
      throw new Error(`no form on ${this.page?.path} (${this.page?.status}): ${textOf(html)}`);
    const fields: Record<string, string> = {};
    for (const [, input = ''] of content.matchAll(/<input\b([^>]*)>/g)) {
      const name = attribute(input, 'name');
      if (!name || (/type="checkbox"/.test(input) && !/ checked/.test(input))) continue;
      fields[name] = attribute(input, 'value') ?? '';
    }
    const buttons = [...content.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/g)];
    const pressed = buttons.find(([, , label = '']) => !button || textOf(label).startsWith(button));
    if (button && !pressed) throw new Error(`no button ${button} on ${this.page?.path}`);
    const own = pressed?.[1] ?? '';
    const name = attribute(own, 'name');
    if (name) fields[name] = attribute(own, 'value') ?? '';
    return {
      action: attribute(own, 'formaction') ?? attribute(attributes, 'action') ?? '',
      fields,
    };
  }

  private async follow(url: string, init: RequestInit): Promise<Shown> {
    let next = url;
    let request = init;
    for (let hop = 0; hop < 15; hop++) {
      const response = await this.browser.fetch(next, request);
      const html = await response.text();
      const to = response.headers.get('location');
      const location = to ? new URL(to, next) : undefined;
      const isHere = location?.href.startsWith(`${ISSUER}/`) === true;
      if (!location || !isHere) {
        const { pathname } = new URL(next);
        this.page = {
          status: response.status,
          headers: response.headers,
          html,
          path: pathname,
          location,
        };
        return this.page;
      }
      next = location.href;
      request = { headers: this.headers };
    }
    throw new Error('too many redirects');
  }
}

export function textOf(html: string): string {
  return html
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function attribute(attributes: string, name: string): string | undefined {
  const [, value] = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes) ?? [];
  return value
    ?.replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');
}
