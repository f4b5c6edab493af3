import { createHash, randomBytes } from 'node:crypto';
import type { Answer, Client } from '../http.ts';

const ACCOUNT = { email: 'demo@example.com', password: 'correct-horse-battery' };
const CALLBACK = 'http://127.0.0.1:3000/callback';
const BASIC = `Basic ${Buffer.from('demo-web:demo-web-secret').toString('base64')}`;
const MOST_PAGES = 20;

/** An authorization code with what its exchange takes. */
export interface Grant {
  readonly code: string;
  readonly verifier: string;
}

/** The demo user at a browser without JavaScript, and the application `demo-web` that sends it to the issuer. */
export class Visitor {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  constructor(
    private readonly client: Client,
    /** As the public address says it; requests go to whichever origin is named. */
    private readonly publicUrl: string,
  ) {}

  /** Goes through the pages, where there are any: sign-in and consent are asked for once. */
  async authorize(origin: string): Promise<Grant> {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'demo-web',
      redirect_uri: CALLBACK,
      scope: 'openid links:read links:write',
      state: randomBytes(12).toString('base64url'),
      nonce: randomBytes(12).toString('base64url'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    let answer = await this.open(origin, `/auth/authorize?${query}`);
    for (let page = 0; page < MOST_PAGES; page++) {
      const { location } = answer.headers;
      if (location !== undefined) {
        const target = new URL(location, this.publicUrl);
        if (target.origin !== new URL(this.publicUrl).origin)
          return { code: target.searchParams.get('code') ?? `none: ${location}`, verifier };
        answer = await this.open(origin, target.pathname + target.search);
      } else {
        const { action, fields } = readForm(answer, this.publicUrl);
        if (fields.has('password'))
          for (const [name, value] of Object.entries(ACCOUNT)) fields.set(name, value);
        answer = await this.open(origin, action, fields.toString());
      }
    }
    throw new Error('the pages of the sign-in have no end');
  }

  /** Exchanges a code as the application does; the status of the answer. */
  async exchange(origin: string, { code, verifier }: Grant): Promise<Answer> {
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    });
    return this.client.ask({
      url: `${origin}/auth/token`,
      method: 'POST',
      headers: { authorization: BASIC, 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
  }

  private async open(origin: string, path: string, form?: string): Promise<Answer> {
    const cookie = [...this.cookies]
      .filter(([, kept]) => path.startsWith(kept.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const answer = await this.client.ask({
      url: `${origin}${path}`,
      headers: {
        accept: 'text/html',
        cookie,
        ...(form === undefined
          ? {}
          : {
              origin: new URL(this.publicUrl).origin,
              'content-type': 'application/x-www-form-urlencoded',
            }),
      },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const line of answer.headers['set-cookie'] ?? []) this.keep(line);
    return answer;
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/';
    if (value === '' || /;\s*expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, { value, path });
  }
}

function readForm(
  { status, text, lost }: Answer,
  base: string,
): { action: string; fields: URLSearchParams } {
  const action = /<form[^>]*\saction="([^"]+)"/.exec(text)?.[1];
  if (action === undefined)
    throw new Error(`a page without a form: ${lost ?? status} ${text.slice(0, 200)}`);
  const fields = new URLSearchParams();
  for (const [tag] of text.matchAll(/<input\b[^>]*>/g)) {
    const name = /\sname="([^"]+)"/.exec(tag)?.[1];
    if (name !== undefined) fields.set(name, /\svalue="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  const { pathname, search } = new URL(action.replaceAll('&amp;', '&'), base);
  return { action: pathname + search, fields };
}
