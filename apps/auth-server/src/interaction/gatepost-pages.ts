import { Inject, Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { ADDRESSES } from '../app.tokens.ts';
import type { Addresses } from '../env.ts';
import { type Page, type PageError, ProviderPages } from '../provider/provider-pages.ts';
import { describeError } from './describe-error.ts';
import { PageSender } from './page-sender.service.ts';
import { accountPaths } from './paths.ts';
import { type LibraryForm, renderDeviceConfirm, renderDeviceInput } from './views/device-page.ts';
import { dressHandover } from './views/handover-page.ts';
import { renderNotice } from './views/notice-page.ts';
import { renderSignOut } from './views/sign-out-page.ts';

/**
 * The pages at protocol endpoints. The library hands over a form of its own; it has no label and an inline script, so
 * only its action and its anti-forgery value are used.
 */
@Injectable()
export class GatepostPages extends ProviderPages {
  private readonly accountPath: string;

  constructor(
    private readonly pages: PageSender,
    @Inject(ADDRESSES) addresses: Addresses,
  ) {
    super();
    this.accountPath = accountPaths(addresses.mount).home;
  }

  headers(): Readonly<Record<string, string>> {
    return this.pages.headers('away');
  }

  dress(html: string): string {
    return dressHandover(html);
  }

  error(ctx: KoaContextWithOIDC, error: PageError, status: number): Page {
    const described = describeError(error.error, status, ctx.oidc.route);
    return this.page(
      renderNotice({
        ...described,
        facts: [
          { term: 'Error', value: error.error },
          { term: 'Reason', value: error.description },
          { term: 'Request', value: ctx.response.get('x-request-id') || undefined },
        ],
        isFault: true,
      }),
    );
  }

  signOut(ctx: KoaContextWithOIDC): Page {
    const { client } = ctx.oidc;
    const clientName = client && (client.clientName || client.clientId);
    return this.page(renderSignOut({ ...formOf(ctx, 'end_session_confirm'), clientName }));
  }

  signedOut(ctx: KoaContextWithOIDC): Page {
    const { client } = ctx.oidc;
    // The library names the client only when the person chose to stay signed in here.
    return this.page(
      client
        ? renderNotice({
            title: 'Still signed in here',
            text: `You are signed out of ${client.clientName || client.clientId}. Your session at Gatepost goes on.`,
          })
        : renderNotice({
            title: 'You are signed out',
            text: 'Your session in this browser is over. You can close this page.',
            link: { path: this.accountPath, label: 'Sign in again' },
          }),
    );
  }

  deviceInput(ctx: KoaContextWithOIDC, _form: string, fault: string | undefined): Page {
    return this.page(renderDeviceInput({ ...formOf(ctx, 'code_verification'), fault }));
  }

  deviceLink(ctx: KoaContextWithOIDC, userCode: string): Page {
    return this.page(
      renderDeviceInput({ ...formOf(ctx, 'code_verification'), fault: undefined, userCode }),
    );
  }

  deviceConfirm(ctx: KoaContextWithOIDC, _form: string, userCode: string): Page {
    const { client } = ctx.oidc;
    return this.page(
      renderDeviceConfirm({
        ...formOf(ctx, 'code_verification'),
        userCode,
        clientName: client ? client.clientName || client.clientId : 'An application',
      }),
    );
  }

  deviceDone(ctx: KoaContextWithOIDC): Page {
    const { client } = ctx.oidc;
    const name = client ? client.clientName || client.clientId : 'The application';
    return this.page(
      renderNotice({
        title: 'Your device is connected',
        text: `${name} goes on by itself on your device. You can close this page.`,
      }),
    );
  }

  private page(html: string): Page {
    return { html, headers: this.headers() };
  }
}

function formOf(ctx: KoaContextWithOIDC, route: string): LibraryForm {
  const { session } = ctx.oidc;
  const secret = session?.state?.['secret'];
  return { action: ctx.oidc.urlFor(route), xsrf: typeof secret === 'string' ? secret : '' };
}
