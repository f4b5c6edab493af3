import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account.ts';
import { KNOWN_BROWSER_COOKIE_SECONDS, rememberBrowser } from '../accounts/known-browser.ts';
import { deriveSecrets } from '../accounts/signing-secrets.ts';
import type { Visitor } from '../accounts/visitor.ts';
import { ADDRESSES, ENV } from '../app.tokens.ts';
import type { Addresses, AuthEnv } from '../env.ts';
import { type FormBinding, isFormToken, isSentFromHere, makeFormToken } from './form-token.ts';
import { FormRefused } from './page-errors.ts';

/** A request and the reply it is waiting for. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const BROWSER_COOKIE = 'gp_browser';
const VISIT_COOKIE = 'gp_visit';

/** What pages know of the browser they are talking to: who visits, which forms are its own, where it signed in before. */
@Injectable()
export class Browsers {
  private readonly formSecrets: readonly Buffer[];
  private readonly browserSecrets: readonly Buffer[];
  private readonly origin: string;
  private readonly attributes: string;

  constructor(@Inject(ENV) env: AuthEnv, @Inject(ADDRESSES) addresses: Addresses) {
    this.formSecrets = deriveSecrets(env.COOKIE_KEYS, 'form');
    this.browserSecrets = deriveSecrets(env.COOKIE_KEYS, 'known-browser');
    this.origin = new URL(addresses.issuer).origin;
    const secure = addresses.issuer.startsWith('https:') ? '; Secure' : '';
    this.attributes = `; Path=${addresses.mount}; HttpOnly; SameSite=Lax${secure}`;
  }

  visitorOf(request: FastifyRequest): Visitor {
    return {
      address: request.ip,
      userAgent: (request.headers['user-agent'] ?? '').slice(0, 300),
      browserCookie: readCookie(request, BROWSER_COOKIE),
    };
  }

  /** The owner has signed in here: from now on wrong passwords from this browser have a count of their own. */
  remember(request: FastifyRequest, reply: FastifyReply, account: Account): void {
    const cookie = rememberBrowser(
      readCookie(request, BROWSER_COOKIE),
      account,
      this.browserSecrets,
      randomBytes(16).toString('base64url'),
    );
    if (cookie) this.setCookie(reply, BROWSER_COOKIE, cookie, KNOWN_BROWSER_COOKIE_SECONDS);
  }

  /** Binds forms of a browser that has neither an interaction nor a session yet. */
  visitOf(request: FastifyRequest, reply: FastifyReply): FormBinding {
    const known = readCookie(request, VISIT_COOKIE);
    if (known && /^[\w-]{22}$/.test(known)) return { visit: known };
    const visit = randomBytes(16).toString('base64url');
    this.setCookie(reply, VISIT_COOKIE, visit, undefined);
    return { visit };
  }

  formToken(binding: FormBinding): string {
    return makeFormToken(binding, this.formSecrets);
  }

  /** Throws unless the form was made for this binding and sent from one of our pages. */
  checkForm(request: FastifyRequest, binding: FormBinding): void {
    const { form_token: token } = (request.body ?? {}) as { form_token?: unknown };
    const isOurs =
      isSentFromHere(request.headers, this.origin) &&
      typeof token === 'string' &&
      isFormToken(token, binding, this.formSecrets);
    if (!isOurs) throw new FormRefused();
  }

  private setCookie(
    reply: FastifyReply,
    name: string,
    value: string,
    seconds: number | undefined,
  ): void {
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
    // On the raw response, where the protocol library puts its cookies: both must survive.
    reply.raw.appendHeader('set-cookie', `${name}=${value}${this.attributes}${age}`);
  }
}

/** The first cookie of that name, as it was sent. Ours hold nothing that needs decoding. */
function readCookie(request: FastifyRequest, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
