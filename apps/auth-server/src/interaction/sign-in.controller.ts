import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange } from './browsers.service.ts';
import { InteractionPages } from './interaction-pages.service.ts';
import { Interactions, type OpenInteraction } from './interactions.service.ts';
import { PageFilter } from './page.filter.ts';
import { PageSender } from './page-sender.service.ts';
import { type DeskOutcome, SignInDesk } from './sign-in-desk.service.ts';
import type { FormFaults } from './views/form.ts';

/** Signing in, registering and choosing a new password on the way to an application. */
@Controller('auth/interaction/:uid')
@UseFilters(PageFilter)
export class SignInController {
  constructor(
    private readonly interactions: Interactions,
    private readonly views: InteractionPages,
    private readonly desk: SignInDesk,
    private readonly pages: PageSender,
  ) {}

  /** Also the way from a consent page to another account. */
  @Get('sign-in')
  async showSignIn(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const interaction = await this.interactions.open({ request, reply }, uid);
    this.pages.send(reply, this.views.signIn(interaction), { forms: 'away' });
  }

  @Post('sign-in')
  async signIn(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply };
    const interaction = await this.interactions.openForm(exchange, uid);
    await this.conclude(exchange, interaction, await this.desk.signIn(exchange), (shown) =>
      this.views.signIn(interaction, shown),
    );
  }

  @Get('register')
  async showRegistration(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.desk.requireOpenRegistration();
    const interaction = await this.interactions.open({ request, reply }, uid);
    this.pages.send(reply, this.views.registration(interaction), { forms: 'away' });
  }

  @Post('register')
  async register(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply };
    const interaction = await this.interactions.openForm(exchange, uid);
    await this.conclude(exchange, interaction, await this.desk.register(exchange), (shown) =>
      this.views.registration(interaction, shown),
    );
  }

  @Post('new-password')
  async replaceTemporary(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply };
    const interaction = await this.interactions.openForm(exchange, uid);
    const outcome = await this.desk.replaceTemporary(exchange);
    await this.conclude(exchange, interaction, outcome, ({ entered, faults }) =>
      this.views.newPassword(interaction, entered, faults),
    );
  }

  private async conclude(
    exchange: Exchange,
    interaction: OpenInteraction,
    outcome: DeskOutcome,
    showAgain: (shown: { entered: DeskOutcome['entered']; faults: FormFaults }) => string,
  ): Promise<void> {
    const { entered } = outcome;
    switch (outcome.kind) {
      case 'admitted': {
        const { staysSignedIn } = entered;
        const login = { accountId: outcome.account.id, staysSignedIn, at: new Date() };
        return this.pages.redirect(
          exchange.reply,
          await this.interactions.signIn(interaction, login),
        );
      }
      case 'must-choose':
        return this.pages.send(exchange.reply, this.views.newPassword(interaction, entered), {
          forms: 'away',
        });
      case 'refused': {
        const { why } = outcome;
        const page = showAgain({ entered, faults: why.faults });
        return this.pages.send(exchange.reply, page, { forms: 'away', why });
      }
    }
  }
}
