import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountDesk } from './account-desk.service.ts';
import { AccountPages } from './account-pages.service.ts';
import { AccountSecurity } from './account-security.service.ts';
import { AccountSession } from './account-session.service.ts';
import { PageFilter } from './page.filter.ts';
import { renderNotice } from './views/notice-page.ts';

/** What a person changes only with their password: the password itself, and whether there is an account at all. */
@Controller('auth/account')
@UseFilters(PageFilter)
export class AccountSecurityController {
  constructor(
    private readonly desk: AccountDesk,
    private readonly views: AccountPages,
    private readonly security: AccountSecurity,
    private readonly session: AccountSession,
  ) {}

  @Get('password')
  async showPassword(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.desk.show({ request, reply }, (person) => this.views.password(person));
  }

  @Post('password')
  async changePassword(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = { request, reply };
    await this.desk.act(exchange, async (person) => {
      const why = await this.security.changePassword(exchange, person);
      if (why) return { page: this.views.password(person, why.faults), why };
      await this.session.renew(exchange);
      return { done: 'password' };
    });
  }

  @Get('delete')
  async showRemoval(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.desk.show({ request, reply }, (person) => this.views.removal(person));
  }

  @Post('delete')
  async remove(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = { request, reply };
    await this.desk.act(exchange, async (person) => {
      const why = await this.security.removeAccount(exchange, person);
      if (why) return { page: this.views.removal(person, why.faults), why };
      return { location: this.views.paths.removed };
    });
  }

  @Get('deleted')
  showRemoved(@Res() reply: FastifyReply): void {
    const page = renderNotice({
      title: 'Your account is deleted',
      text: 'Every session has ended and no application has access any more. You can close this page.',
    });
    this.desk.say(reply, page);
  }
}
