import { Controller, Get, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountsService } from '../accounts/accounts.service.ts';
import { AccountAccess } from './account-access.service.ts';
import { AccountDesk } from './account-desk.service.ts';
import { AccountPages } from './account-pages.service.ts';
import { PageFilter } from './page.filter.ts';
import { readForm } from './read-form.ts';
import { readProfile } from './read-profile.ts';

/** A person's own page: what we know of them, where they are signed in, what they have allowed. */
@Controller('auth/account')
@UseFilters(PageFilter)
export class AccountController {
  constructor(
    private readonly desk: AccountDesk,
    private readonly views: AccountPages,
    private readonly access: AccountAccess,
    private readonly accounts: AccountsService,
  ) {}

  @Get()
  async show(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('done') done?: unknown,
  ): Promise<void> {
    await this.desk.show({ request, reply }, (person) => this.views.home(person, done));
  }

  /** One form, many buttons: the button that was pressed says what to end. */
  @Post()
  async end(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.desk.act({ request, reply }, async ({ account, sessionUid }) => {
      const form = readForm(request.body, ['end_session', 'revoke_application']);
      if (form.end_session === 'others') {
        await this.access.endOtherSessions(account.id, sessionUid);
        return { done: 'sessions' };
      }
      if (form.end_session !== '' && form.end_session !== sessionUid) {
        await this.access.endSession(account.id, form.end_session);
        return { done: 'session' };
      }
      if (form.revoke_application !== '') {
        await this.access.revokeApplication(account.id, form.revoke_application);
        return { done: 'application' };
      }
      return {};
    });
  }

  @Get('profile')
  async showProfile(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.desk.show({ request, reply }, (person) => this.views.profile(person));
  }

  @Post('profile')
  async changeProfile(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.desk.act({ request, reply }, async (person) => {
      const read = readProfile(request.body);
      if ('faults' in read) {
        const faults = { fields: read.faults };
        const page = this.views.profile(person, read.entered, faults);
        return { page, why: { status: 422, faults } };
      }
      await this.accounts.changeProfile(person.account.id, read.change);
      return { done: 'profile' };
    });
  }
}
