import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account.ts';
import { AuditLog } from '../audit/audit-log.service.ts';
import { InteractionPages } from './interaction-pages.service.ts';
import { Interactions, type OpenInteraction } from './interactions.service.ts';
import { PageFilter } from './page.filter.ts';
import { InteractionGone } from './page-errors.ts';
import { PageSender } from './page-sender.service.ts';

/** What an application wants of a person, one question at a time: who are you, and do you allow this? */
@Controller('auth/interaction/:uid')
@UseFilters(PageFilter)
export class InteractionController {
  constructor(
    private readonly interactions: Interactions,
    private readonly views: InteractionPages,
    private readonly pages: PageSender,
    private readonly audit: AuditLog,
  ) {}

  @Get()
  async show(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const interaction = await this.interactions.open({ request, reply }, uid);
    const { step } = interaction;
    if (step.kind === 'end') {
      const location = await this.interactions.end(interaction, step.error, step.description);
      return this.pages.redirect(reply, location);
    }
    const person = this.interactions.personOf(interaction);
    this.pages.send(reply, this.render(interaction, person), { forms: 'away' });
  }

  @Post('account')
  async keepAccount(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const interaction = await this.interactions.openForm({ request, reply }, uid);
    if (interaction.step.kind !== 'choose-account') throw new InteractionGone();
    this.pages.redirect(reply, await this.interactions.keepAccount(interaction));
  }

  @Post('consent')
  async allow(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const interaction = await this.interactions.openForm({ request, reply }, uid);
    if (interaction.step.kind !== 'consent') throw new InteractionGone();
    const location = await this.interactions.allow(interaction);
    this.note('consent.given', request, interaction);
    this.pages.redirect(reply, location);
  }

  /** The way out of every page of an interaction: the application hears `access_denied`. */
  @Post('deny')
  async deny(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const interaction = await this.interactions.openForm({ request, reply }, uid);
    const location = await this.interactions.end(
      interaction,
      'access_denied',
      'the person denied the request',
    );
    this.note('consent.denied', request, interaction);
    this.pages.redirect(reply, location);
  }

  private note(event: string, request: FastifyRequest, interaction: OpenInteraction): void {
    const { accountId, clientId } = interaction;
    this.audit.record(event, { accountId, clientId, ip: request.ip });
  }

  private render(interaction: OpenInteraction, person: Account | undefined): string {
    const { step } = interaction;
    if (step.kind === 'register' && this.views.isRegistrationOpen)
      return this.views.registration(interaction);
    if (step.kind === 'register') return this.views.signIn(interaction, { person });
    if (step.kind === 'sign-in') return this.views.signIn(interaction, { person });
    // The account of the session was deleted or disabled a moment ago.
    if (!person) throw new InteractionGone();
    return step.kind === 'choose-account'
      ? this.views.chooseAccount(interaction, person)
      : this.views.consent(interaction, person);
  }
}
