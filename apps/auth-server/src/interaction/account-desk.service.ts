import { Injectable } from '@nestjs/common';
import { AccountPages } from './account-pages.service.ts';
import { AccountSession, type SignedIn } from './account-session.service.ts';
import { Browsers, type Exchange } from './browsers.service.ts';
import type { Explanation } from './explain-outcome.ts';
import { PageSender } from './page-sender.service.ts';

/** What an action on one's own account came to: back to the account page, on to another one, or the form again. */
export type ActionResult =
  | { readonly done?: string }
  | { readonly location: string }
  | { readonly page: string; readonly why: Explanation };

/** What all pages of a signed-in person have in common: nobody signed in is sent to sign in, forms are the session's own. */
@Injectable()
export class AccountDesk {
  constructor(
    private readonly session: AccountSession,
    private readonly browsers: Browsers,
    private readonly views: AccountPages,
    private readonly pages: PageSender,
  ) {}

  async show(
    exchange: Exchange,
    render: (person: SignedIn) => string | Promise<string>,
  ): Promise<void> {
    const person = await this.session.read(exchange);
    if (!person) return this.pages.redirect(exchange.reply, this.views.paths.signIn);
    this.pages.send(exchange.reply, await render(person), { forms: 'here' });
  }

  /** A page for anybody. */
  say(reply: Exchange['reply'], page: string): void {
    this.pages.send(reply, page, { forms: 'here' });
  }

  async act(
    exchange: Exchange,
    action: (person: SignedIn) => Promise<ActionResult>,
  ): Promise<void> {
    const person = await this.session.read(exchange);
    if (!person) return this.pages.redirect(exchange.reply, this.views.paths.signIn);
    this.browsers.checkForm(exchange.request, { session: person.sessionUid });
    const result = await action(person);
    if ('page' in result)
      return this.pages.send(exchange.reply, result.page, { forms: 'here', why: result.why });
    const { home } = this.views.paths;
    if ('location' in result) return this.pages.redirect(exchange.reply, result.location);
    this.pages.redirect(exchange.reply, result.done ? `${home}?done=${result.done}` : home);
  }
}
