import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { PageBrowser, type Shown } from './page-browser.ts';
import { type Form, ProtocolClient, type TokenAnswer } from './protocol-client.ts';

export const PASSWORD = 'tall green lamps';

/** An address that no other spec uses. */
export function newAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}

/** A person with a browser, an address and an e-mail of their own. */
export class Person extends PageBrowser {
  readonly email: string;

  constructor(origins: readonly string[], options: { email?: string; address?: string } = {}) {
    super(origins, { 'x-forwarded-for': options.address ?? newAddress(), accept: 'text/html' });
    this.email = options.email ?? `${randomUUID()}@example.com`;
  }

  /** Registers on the way to the account page. */
  static async register(origins: readonly string[]): Promise<Person> {
    const person = new Person(origins);
    await person.open('/auth/account/register');
    const shown = await person.send({
      name: 'Spec Person',
      email: person.email,
      password: PASSWORD,
    });
    if (shown.status !== 200) throw new Error(`not registered: ${shown.status} ${shown.html}`);
    return person;
  }

  /** The same person at another browser, signed in nowhere. */
  elsewhere(): Person {
    return new Person(this.origins, { email: this.email });
  }

  async signInToAccount(password = PASSWORD): Promise<Shown> {
    await this.open('/auth/account/sign-in');
    return this.send({ email: this.email, password }, 'Sign in');
  }

  /** Goes where an application sends them; signs in and allows what is asked for. */
  async visit(client: ProtocolClient, overrides: Form = {}): Promise<Visit> {
    const request = client.request(overrides);
    let shown = await this.open(request.url);
    for (let step = 0; step < 4 && !shown.location; step++) {
      if (shown.html.includes('type="password"'))
        shown = await this.send({ email: this.email, password: PASSWORD }, 'Sign in');
      else shown = await this.send({}, 'Allow');
    }
    const callback = shown.location?.searchParams;
    if (!callback) throw new Error(`no way back: ${shown.status} ${shown.html}`);
    return { callback, verifier: request.verifier, nonce: request.params['nonce'] };
  }

  /** As `visit`, with the tokens that the application gets for it. */
  async useApplication(client: ProtocolClient, overrides: Form = {}): Promise<TokenAnswer> {
    const visit = await this.visit(client, overrides);
    return client.exchange({ code: visit.callback.get('code') ?? '', verifier: visit.verifier });
  }
}

export interface Visit {
  readonly callback: URLSearchParams;
  readonly verifier: string;
  readonly nonce: string | undefined;
}

export function newState(): string {
  return randomBytes(16).toString('base64url');
}
