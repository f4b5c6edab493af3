import { ISSUER, PUBLIC_URL } from './protocol-server.ts';

/** A browser of sorts: it keeps cookies by path and follows redirects until they leave the issuer. */
export class Browser {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  /** Several origins are processes behind one address: requests go round robin. */
  constructor(private readonly origins: readonly string[]) {}

  private turn = 0;

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname, search } = new URL(url, ISSUER);
    const origin = this.origins[this.turn++ % this.origins.length] as string;
    const response = await fetch(`${origin}${pathname}${search}`, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie: this.cookieHeader(pathname) },
    });
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    return response;
  }

  /** Follows redirects inside the issuer; returns the last answer and where it wanted to go. */
  async open(url: string): Promise<{ response: Response; location: URL | undefined }> {
    let next = url;
    for (let hop = 0; hop < 15; hop++) {
      const response = await this.fetch(next);
      const location = response.headers.get('location');
      if (!location) return { response, location: undefined };
      const target = new URL(location, next.startsWith('http') ? next : PUBLIC_URL);
      if (!target.href.startsWith(`${ISSUER}/`)) return { response, location: target };
      await response.arrayBuffer();
      next = target.href;
    }
    throw new Error('too many redirects');
  }

  get cookieNames(): string[] {
    return [...this.cookies.keys()];
  }

  cookieValues(): string[] {
    return [...this.cookies.values()].map(({ value }) => value);
  }

  private cookieHeader(path: string): string {
    return [...this.cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  private keep(header: string): void {
    const [pair = '', ...attributes] = header.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((item) => /^path=/i.test(item))?.slice(5) ?? '/';
    const isGone = attributes.some((item) => /^expires=Thu, 01 Jan 1970/i.test(item));
    if (isGone || value === '') this.cookies.delete(name);
    else this.cookies.set(name, { value, path });
  }
}
