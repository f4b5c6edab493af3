import { createHash, randomBytes } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

const PUBLIC_ORIGIN = 'http://localhost:8080';
const CALLBACK = 'http://127.0.0.1:3000/callback';
/** More hops or pages than any flow has. */
const MOST_STEPS = 20;

export const WEB_CLIENT = 'demo-web:demo-web-secret';
export const MACHINE_CLIENT = 'demo-m2m:demo-m2m-secret';

export interface Person {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  /** Where the person's browser is, as a proxy in front would tell. */
  readonly address: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Sending {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An application and the browsers of its users, at one authorization server. Everything but a success throws. */
export class IdentityClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  private readonly port: number;

  constructor(serverUrl: string) {
    this.port = Number(new URL(serverUrl).port);
  }

  async token(form: Readonly<Record<string, string>>, credentials: string): Promise<Tokens> {
    const answer = await this.send('POST', '/auth/token', {
      body: new URLSearchParams(form).toString(),
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      },
    });
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as Tokens;
  }

  /** From the authorization request to the tokens: password, consent, code. A browser without cookies, as at a first visit. */
  async signIn(person: Person): Promise<Tokens> {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'demo-web',
      redirect_uri: CALLBACK,
      scope: 'openid email profile links:read links:write',
      state: randomBytes(16).toString('base64url'),
      nonce: randomBytes(16).toString('base64url'),
      prompt: 'login consent',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const end = await this.browse(`/auth/authorize?${query}`, person, (answer) =>
      answer.headers.location?.startsWith(CALLBACK),
    );
    const code = new URL(end.headers.location ?? '').searchParams.get('code');
    if (!code) throw new Error(`no code: ${end.headers.location}`);
    return this.token(
      { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier },
      WEB_CLIENT,
    );
  }

  /** Creates the person's account on the server's own page. */
  async register(person: Person): Promise<void> {
    const arrived = (answer: Answer) => answer.headers.location?.endsWith('/auth/account');
    await this.browse('/auth/account/register', person, arrived);
  }

  close(): void {
    this.agent.destroy();
  }

  /** Follows redirects and fills in the forms it meets, until `isEnd`. */
  private async browse(
    path: string,
    person: Person,
    isEnd: (answer: Answer) => boolean | undefined,
  ): Promise<Answer> {
    const cookies = new Map<string, string>();
    const go = async (method: string, to: string, body?: string) => {
      const answer = await this.send(method, to, {
        ...(body === undefined ? {} : { body }),
        headers: {
          accept: 'text/html',
          origin: PUBLIC_ORIGIN,
          'x-forwarded-for': person.address,
          ...(cookies.size > 0
            ? { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
            : {}),
        },
      });
      keepCookies(cookies, answer.headers['set-cookie'] ?? []);
      return answer;
    };
    let answer = await go('GET', path);
    for (let step = 0; step < MOST_STEPS; step++) {
      if (isEnd(answer)) return answer;
      const { location } = answer.headers;
      if (location) answer = await go('GET', pathOf(location));
      else {
        const { action, body } = fillForm(answer, person);
        answer = await go('POST', pathOf(action), body);
      }
    }
    throw new Error(`${path} leads nowhere`);
  }

  private send(method: string, path: string, { body, headers = {} }: Sending): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request({
        agent: this.agent,
        host: '127.0.0.1',
        port: this.port,
        method,
        path,
        headers: {
          host: new URL(PUBLIC_ORIGIN).host,
          ...(body === undefined
            ? {}
            : {
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': Buffer.byteLength(body),
              }),
          ...headers,
        },
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      sent.end(body);
    });
  }
}

function pathOf(location: string): string {
  const { pathname, search } = new URL(location, PUBLIC_ORIGIN);
  return pathname + search;
}

function keepCookies(cookies: Map<string, string>, fields: readonly string[]): void {
  for (const field of fields) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(field) ?? [];
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(field)) cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** The first form of a page, with what it holds already and what it asks of the person. */
function fillForm({ status, text }: Answer, person: Person): { action: string; body: string } {
  const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  if (status !== 200 || !action) throw new Error(`no form: ${status} ${text.slice(0, 500)}`);
  const form = new URLSearchParams();
  for (const [tag] of text.matchAll(/<input[^>]*>/g)) {
    const name = / name="([^"]+)"/.exec(tag)?.[1];
    if (name) form.set(name, / value="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  for (const field of ['email', 'name', 'password'] as const)
    if (form.has(field)) form.set(field, person[field]);
  return { action, body: form.toString() };
}
