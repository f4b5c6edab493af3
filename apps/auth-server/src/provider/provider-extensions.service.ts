import { Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { guardPages } from './page-guard.ts';
import { ProviderEvents } from './provider-events.service.ts';
import { ProviderPages } from './provider-pages.ts';
import { RefreshGrace } from './refresh-grace.service.ts';
import { RequestCommit } from './request-commit.service.ts';
import { applyResponseRules } from './response-rules.ts';

type Middleware = Parameters<Provider['use']>[0];

/** What stands around every request of a provider: rules for its answers, the grace window, the observers. */
@Injectable()
export class ProviderExtensions {
  constructor(
    private readonly events: ProviderEvents,
    private readonly grace: RefreshGrace,
    private readonly pages: ProviderPages,
    private readonly commit: RequestCommit,
  ) {}

  joinTo(provider: Provider): void {
    provider.use(guardPages(this.pages) as unknown as Middleware);
    provider.use(this.conclude as unknown as Middleware);
    if (this.grace.isOn)
      provider.on('grant.error', (ctx, error) => this.grace.noteRefusal(ctx, error));
    this.events.listenTo(provider);
  }

  /** After the library and before anything is sent: the writes, the grace window, the rules for answers, in this order. */
  private readonly conclude = async (
    ctx: KoaContextWithOIDC,
    next: () => Promise<unknown>,
  ): Promise<void> => {
    await next();
    // Undefined where the library knows no such endpoint.
    if (!ctx.oidc) return;
    await this.commit.commit(ctx);
    if (this.grace.isOn) await this.grace.conclude(ctx);
    applyResponseRules(ctx);
  };
}
