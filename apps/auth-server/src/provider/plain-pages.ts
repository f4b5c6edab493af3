import { Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { type Page, type PageError, ProviderPages } from './provider-pages.ts';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
};

/** Bare pages, for tests of the protocol alone and until a better set is bound. */
@Injectable()
export class PlainPages extends ProviderPages {
  headers(): Readonly<Record<string, string>> {
    return HEADERS;
  }

  dress(html: string): string {
    return html;
  }

  error(_ctx: KoaContextWithOIDC, { error, description }: PageError, status: number): Page {
    return page(
      `<h1>${escapeHtml(error)}</h1><p>${escapeHtml(description ?? '')}</p><p>${status}</p>`,
    );
  }

  signOut(_ctx: KoaContextWithOIDC, form: string): Page {
    return page(
      `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button><button form="op.logoutForm">Stay signed in</button>`,
    );
  }

  signedOut(): Page {
    return page('<h1>Signed out</h1>');
  }

  deviceInput(_ctx: KoaContextWithOIDC, form: string, fault: string | undefined): Page {
    return page(
      `${escapeHtml(fault ?? '')}${form}<button form="op.deviceInputForm">Continue</button>`,
    );
  }

  deviceLink(ctx: KoaContextWithOIDC, userCode: string): Page {
    const xsrf = String(ctx.oidc.session?.state?.['secret']);
    return page(
      `<form method="post"><input type="hidden" name="xsrf" value="${escapeHtml(xsrf)}"><input name="user_code" value="${escapeHtml(userCode)}"><button>Continue</button></form>`,
    );
  }

  deviceConfirm(_ctx: KoaContextWithOIDC, form: string, userCode: string): Page {
    return page(
      `<p>${escapeHtml(userCode)}</p>${form}<button form="op.deviceConfirmForm">Continue</button><button form="op.deviceConfirmForm" name="abort" value="yes">Cancel</button>`,
    );
  }

  deviceDone(): Page {
    return page('<h1>Connected</h1>');
  }
}

function page(body: string): Page {
  return {
    html: `<!doctype html><html lang="en"><title>Gatepost</title>${body}`,
    headers: HEADERS,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
