import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ADDRESSES } from '../app.tokens.ts';
import type { Addresses } from '../env.ts';
import type { Explanation } from './explain-outcome.ts';
import { pageHeaders } from './page-headers.ts';

/** Where the forms of a page lead: back to us, or in the end to an application. */
export type FormsLead = 'here' | 'away';

/** Sends pages with the header fields that each of them needs. */
@Injectable()
export class PageSender {
  private readonly headersOf: Readonly<Record<FormsLead, Readonly<Record<string, string>>>>;

  constructor(@Inject(ADDRESSES) addresses: Addresses) {
    const isHttps = addresses.issuer.startsWith('https:');
    this.headersOf = {
      here: pageHeaders({ formsStayHere: true, isHttps }),
      away: pageHeaders({ formsStayHere: false, isHttps }),
    };
  }

  send(
    reply: FastifyReply,
    page: string,
    options: {
      readonly forms: FormsLead;
      readonly why?: Explanation | undefined;
      readonly status?: number;
    },
  ): void {
    const { why, forms } = options;
    if (why?.retryAfterSeconds) reply.header('retry-after', String(why.retryAfterSeconds));
    void reply
      .code(why?.status ?? options.status ?? 200)
      .headers(this.headers(forms))
      .header('content-type', 'text/html; charset=utf-8')
      .send(page);
  }

  /** 303: the browser follows with GET and does not send the password along (RFC 9700 4.12). */
  redirect(reply: FastifyReply, location: string): void {
    void reply
      .code(303)
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .header('location', location)
      .send();
  }

  headers(forms: FormsLead): Readonly<Record<string, string>> {
    return this.headersOf[forms];
  }
}
