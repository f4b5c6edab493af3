import { Injectable } from '@nestjs/common';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { hashId } from '../store/record.ts';
import { RecordReadsRepository } from '../store/record-reads.repository.ts';
import { RecordsRepository } from '../store/records.repository.ts';
import type { RequestWork } from '../store/request-work.ts';
import { ProviderPages } from './provider-pages.ts';
import { RefreshGrace, WithinGrace } from './refresh-grace.service.ts';
import { gatheredWork } from './request-works.ts';

/** Around the library: when its answer stands, and before it is sent, everything that the request writes is written. */
@Injectable()
export class RequestCommit {
  constructor(
    private readonly records: RecordsRepository,
    private readonly reads: RecordReadsRepository,
    private readonly grace: RefreshGrace,
    private readonly pages: ProviderPages,
  ) {}

  /** Writes what the request gathered; replaces the answer when that fails. */
  async commit(ctx: KoaContextWithOIDC): Promise<void> {
    const work = gatheredWork(ctx);
    if (!work || work.isEmpty) return;
    try {
      if (ctx.oidc.route !== 'token')
        await this.records.write(work.rows, work.deletions, work.place);
      else if (ctx.status === 200) await this.redeem(work);
    } catch (error) {
      this.refuse(ctx, error);
    }
  }

  private async redeem({ redeemed, tokens }: RequestWork): Promise<void> {
    const grantId = tokens[0]?.row.grantId;
    if (!redeemed || !grantId)
      throw new errors.InvalidGrant('tokens, but nothing redeemed for them');
    if (await this.records.redeem({ redeemed, grantId, tokens })) return;
    const source = await this.reads.find(redeemed.kind, redeemed.id);
    if (!source?.consumedAt) throw new errors.InvalidGrant('revoked meanwhile');
    if (
      redeemed.kind === 'RefreshToken' &&
      this.grace.applies(source.consumedAt, source.payload, Date.now())
    )
      throw new WithinGrace('used by a request at the same time, within the grace window');
    // Two hold what one should: whoever was first, the family ends (RFC 9700 section 4.14.2).
    await this.records.revokeGrant(hashId(grantId), grantId);
    throw new errors.InvalidGrant('already used by another request');
  }

  /** Replaces the answer that the library had prepared. */
  private refuse(ctx: KoaContextWithOIDC, error: unknown): void {
    const { provider, route } = ctx.oidc;
    if (error instanceof errors.InvalidGrant) {
      ctx.status = 400;
      ctx.body = { error: error.error, error_description: error.error_description };
      provider.emit('grant.error', ctx, error);
      return;
    }
    provider.emit('server_error', ctx, error as Error);
    ctx.remove('location');
    ctx.status = 500;
    const out = { error: 'server_error', error_description: 'oops! something went wrong' };
    if (route === 'token') {
      ctx.body = out;
      return;
    }
    const page = this.pages.error(
      ctx,
      { error: out.error, description: out.error_description },
      500,
    );
    ctx.type = 'html';
    ctx.set({ ...page.headers });
    ctx.body = page.html;
  }
}
