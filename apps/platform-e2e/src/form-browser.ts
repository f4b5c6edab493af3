/** A page as a person without JavaScript has it: its text and its forms. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly html: string;
}

interface Form {
  readonly action: string;
  readonly method: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A browser with cookies and forms and nothing else: follows redirects, and stops at addresses outside `origin`. */
export class FormBrowser {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  constructor(private readonly origin: string) {}

  /** Cookies by name. */
  get cookieValues(): ReadonlyMap<string, string> {
    return new Map([...this.cookies].map(([name, { value }]) => [name, value]));
  }

  open(url: string): Promise<Page | URL> {
    return this.follow(url, { method: 'GET' });
  }

  /** Submits the form whose button or action matches, with the given fields besides what it holds already. */
  submit(page: Page, fields: Record<string, string>, which: RegExp = /./): Promise<Page | URL> {
    const form = formsOf(page).find(
      (candidate) => which.test(candidate.action) || which.test(JSON.stringify(candidate.fields)),
    );
    if (!form)
      throw new Error(`no form matches ${which} on ${page.url} (${page.status})\n${page.html}`);
    const body = new URLSearchParams({ ...form.fields, ...fields });
    if (form.method === 'get') return this.open(`${form.action}?${body}`);
    return this.follow(form.action, {
      method: 'POST',
      body,
      headers: { origin: new URL(page.url).origin },
    });
  }

  private async follow(start: string, init: RequestInit): Promise<Page | URL> {
    let url = new URL(start);
    let request = init;
    for (let hops = 0; hops < 15; hops++) {
      if (url.origin !== this.origin) return url;
      const answer = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: this.cookieHeader(url), ...request.headers },
      });
      this.keepCookies(answer);
      const location = answer.headers.get('location');
      if (answer.status < 300 || answer.status > 399 || !location)
        return { url: url.href, status: answer.status, html: await answer.text() };
      await answer.body?.cancel();
      url = new URL(location, url);
      request = { method: 'GET' };
    }
    throw new Error(`too many redirects at ${url}`);
  }

  private cookieHeader(url: URL): string {
    return [...this.cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  private keepCookies(answer: Response): void {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
      const expired = attributes.some(
        (attribute) => /^expires=/i.test(attribute) && Date.parse(attribute.slice(8)) < Date.now(),
      );
      if (value === '' || expired) this.cookies.delete(name);
      else this.cookies.set(name, { value, path });
    }
  }
}

/** A page, or a failed expectation that shows where the browser went instead. */
export function expectPage(result: Page | URL): Page {
  if (result instanceof URL) throw new Error(`left for ${result}`);
  return result;
}

/** Fields that a browser sends as the page filled them in. */
const KEPT_AS_THEY_ARE = ['hidden', 'text', 'email'];

function formsOf(page: Page): Form[] {
  return [...page.html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(
    ([, attributes = '', content = '']) => ({
      action: new URL(attributeOf(attributes, 'action') ?? '', page.url).href,
      method: (attributeOf(attributes, 'method') ?? 'get').toLowerCase(),
      fields: Object.fromEntries(
        [...content.matchAll(/<input\b([^>]*)>/gi)]
          .map(([, input = '']) => ({
            type: attributeOf(input, 'type'),
            name: attributeOf(input, 'name'),
            value: attributeOf(input, 'value') ?? '',
          }))
          .filter(({ type = 'text', name }) => KEPT_AS_THEY_ARE.includes(type) && name)
          .map(({ name, value }) => [name, value]),
      ),
    }),
  );
}

function attributeOf(attributes: string, name: string): string | undefined {
  const [, double, single] =
    new RegExp(`\\b${name}=(?:"([^"]*)"|'([^']*)')`, 'i').exec(attributes) ?? [];
  return (double ?? single)
    ?.replace(/&amp;/g, '&')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'");
}
