/** Somebody at a browser without JavaScript: follows redirects, fills in the pages, presses the first button. */
export class Person {
  private readonly cookies = new Map<string, { value: string; path: string }>();
  private turn = 0;

  /** Requests to the issuer go to its processes in turn. */
  constructor(
    private readonly issuer: string,
    private readonly origins: readonly string[],
    private readonly account = {
      email: 'demo@example.com',
      password: 'correct-horse-battery',
    },
  ) {}

  /** Opens an address and does what the pages ask until the browser is sent away from the issuer. */
  async follow(url: string): Promise<URL> {
    let response = await this.fetch(url);
    for (let step = 0; step < 25; step++) {
      const location = response.headers.get('location');
      if (location) {
        const target = new URL(location, this.issuer);
        if (!target.href.startsWith(`${this.issuer}/`)) return target;
        await response.arrayBuffer();
        response = await this.fetch(target.href);
        continue;
      }
      const text = await response.text();
      const form = readForm(text);
      if (!form) throw new Error(`a page without a form: ${response.status} ${text.slice(0, 300)}`);
      if (form.fields.has('password')) {
        form.fields.set('email', this.account.email);
        form.fields.set('password', this.account.password);
      }
      response = await this.post(new URL(form.action, this.issuer).href, form.fields);
    }
    throw new Error('no end of pages');
  }

  /** Enters the code that a device shows; the text of the last page. */
  async connectDevice(userCode: string): Promise<string> {
    let response = await this.fetch(`${this.issuer}/device`);
    for (let step = 0; step < 25; step++) {
      const location = response.headers.get('location');
      if (location) {
        await response.arrayBuffer();
        response = await this.fetch(new URL(location, this.issuer).href);
        continue;
      }
      const text = await response.text();
      const form = readForm(text);
      if (!form) return text;
      if (form.fields.has('user_code')) form.fields.set('user_code', userCode);
      if (form.fields.has('password')) {
        form.fields.set('email', this.account.email);
        form.fields.set('password', this.account.password);
      }
      response = await this.post(new URL(form.action, this.issuer).href, form.fields);
    }
    throw new Error('no end of pages');
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname, search } = new URL(url);
    const origin = this.origins[this.turn++ % this.origins.length] as string;
    const response = await fetch(`${origin}${pathname}${search}`, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(init.headers as Record<string, string>),
        cookie: [...this.cookies]
          .filter(([, { path }]) => pathname.startsWith(path))
          .map(([name, { value }]) => `${name}=${value}`)
          .join('; '),
      },
    });
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    return response;
  }

  private post(url: string, fields: URLSearchParams): Promise<Response> {
    return this.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: new URL(this.issuer).origin,
      },
      body: fields.toString(),
    });
  }

  private keep(header: string): void {
    const [pair = '', ...attributes] = header.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((item) => /^path=/i.test(item))?.slice(5) ?? '/';
    const isGone =
      value === '' || attributes.some((item) => /^expires=Thu, 01 Jan 1970/i.test(item));
    if (isGone) this.cookies.delete(name);
    else this.cookies.set(name, { value, path });
  }
}

function readForm(text: string): { action: string; fields: URLSearchParams } | undefined {
  const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  if (!action) return undefined;
  const fields = new URLSearchParams();
  for (const [tag] of text.matchAll(/<input[^>]*>/g)) {
    const name = / name="([^"]+)"/.exec(tag)?.[1];
    if (name) fields.set(name, / value="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  return { action, fields };
}
