import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountSession } from './account-session.service.ts';
import { Browsers, type Exchange } from './browsers.service.ts';
import { PageFilter } from './page.filter.ts';
import { PageSender } from './page-sender.service.ts';
import { type DeskOutcome, type Entered, SignInDesk } from './sign-in-desk.service.ts';
import type { FormFaults } from './views/form.ts';
import { renderNewPassword } from './views/new-password-page.ts';
import { renderRegistration } from './views/registration-page.ts';
import { renderSignIn } from './views/sign-in-page.ts';

/** What a page shows again after a form that failed. */
interface Shown {
  readonly entered?: Entered;
  readonly faults?: FormFaults | undefined;
}

/** Signing in and registering on the way to one's own account page, without an application. */
@Controller('auth/account')
@UseFilters(PageFilter)
export class AccountSignInController {
  constructor(
    private readonly desk: SignInDesk,
    private readonly session: AccountSession,
    private readonly browsers: Browsers,
    private readonly pages: PageSender,
  ) {}

  @Get('sign-in')
  async showSignIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.show({ request, reply }, (token) => this.renderSignIn(token));
  }

  @Post('sign-in')
  async signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.take({ request, reply }, 'signIn', (token, shown) =>
      this.renderSignIn(token, shown),
    );
  }

  @Get('register')
  async showRegistration(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.desk.requireOpenRegistration();
    await this.show({ request, reply }, (token) => this.renderRegistration(token));
  }

  @Post('register')
  async register(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.take({ request, reply }, 'register', (token, shown) =>
      this.renderRegistration(token, shown),
    );
  }

  @Post('new-password')
  async replaceTemporary(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.take({ request, reply }, 'replaceTemporary', (token, shown) =>
      this.renderNewPassword(token, shown),
    );
  }

  private async show(exchange: Exchange, render: (token: string) => string): Promise<void> {
    if (await this.session.read(exchange)) return this.goHome(exchange);
    const visit = this.browsers.visitOf(exchange.request, exchange.reply);
    this.pages.send(exchange.reply, render(this.browsers.formToken(visit)), { forms: 'here' });
  }

  private async take(
    exchange: Exchange,
    counter: 'signIn' | 'register' | 'replaceTemporary',
    render: (token: string, shown: Shown) => string,
  ): Promise<void> {
    if (await this.session.read(exchange)) return this.goHome(exchange);
    const visit = this.browsers.visitOf(exchange.request, exchange.reply);
    this.browsers.checkForm(exchange.request, visit);
    const outcome: DeskOutcome = await this.desk[counter](exchange);
    const { entered } = outcome;
    const token = this.browsers.formToken(visit);
    switch (outcome.kind) {
      case 'admitted':
        await this.session.begin(exchange, outcome.account, entered.staysSignedIn);
        return this.goHome(exchange);
      case 'must-choose':
        return this.pages.send(exchange.reply, this.renderNewPassword(token, { entered }), {
          forms: 'here',
        });
      case 'refused': {
        const { why } = outcome;
        const page = render(token, { entered, faults: why.faults });
        return this.pages.send(exchange.reply, page, { forms: 'here', why });
      }
    }
  }

  private goHome({ reply }: Exchange): void {
    this.pages.redirect(reply, this.session.paths.home);
  }

  private renderSignIn(token: string, { entered, faults }: Shown = {}): string {
    const { signIn, register } = this.session.paths;
    return renderSignIn({
      action: signIn,
      token,
      why: 'needed',
      email: entered?.email,
      ...(entered ? { staysSignedIn: entered.staysSignedIn } : {}),
      registerPath: this.desk.isRegistrationOpen ? register : undefined,
      faults,
    });
  }

  private renderRegistration(token: string, { entered, faults }: Shown = {}): string {
    const { signIn, register } = this.session.paths;
    return renderRegistration({
      action: register,
      token,
      signInPath: signIn,
      email: entered?.email,
      name: entered?.name,
      faults,
    });
  }

  private renderNewPassword(token: string, { entered, faults }: Shown): string {
    return renderNewPassword({
      action: this.session.paths.newPassword,
      token,
      email: entered?.email ?? '',
      isTemporary: true,
      staysSignedIn: entered?.staysSignedIn === true,
      faults,
    });
  }
}
